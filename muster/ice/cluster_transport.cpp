#include "muster/ice/cluster_transport.hpp"

#include <array>
#include <cerrno>
#include <mutex>
#include <utility>

#include <Ice/Ice.h>
#include <fmt/format.h>

#include "muster/config/endpoint_text.hpp"
#include "muster/ice/channel_links.hpp"
#include "muster/ice/cluster_address.hpp"
#include "muster/ice/cluster_properties.hpp"
#include "muster/ice/cluster_servant.hpp"
#include "muster/ice/event_logger.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/link_context.hpp"

namespace muster::ice {
namespace {

constexpr std::size_t channels = 3;
constexpr std::size_t address_bytes_max = 256;  // of membership's, which carries it

result<Ice::CommunicatorPtr> make_communicator(const config::property_map& properties, event_log& log) {
  try {
    Ice::registerIceSSL(false);
    Ice::InitializationData start;
    start.properties = Ice::createProperties();
    start.logger = std::make_shared<event_logger>(log);
    for (const auto& [name, value] : properties) start.properties->setProperty(name, value);
    return Ice::initialize(start);
  } catch (const Ice::Exception&) {
    return fail(errc::invalid_argument, "Ice does not start with these properties: {}",
                to_text(std::current_exception()));
  }
}

/// The endpoints as others are to spell them. Of a wildcard Ice makes one for each interface.
std::string endpoints_of(const Ice::ObjectAdapterPtr& adapter) {
  std::string out;
  for (const auto& one : adapter->getPublishedEndpoints()) {
    // Of a link, and so of no use elsewhere.
    if (one->toString().find("-h \"fe80:") != std::string::npos) continue;
    if (!out.empty()) out += ':';
    out += one->toString();
  }
  return out;
}

std::string first_port(const std::string& endpoints) {
  const auto parsed = config::parse_endpoints(endpoints);
  return parsed ? parsed->front().port : std::string{};
}

}  // namespace

class cluster_transport::parts {
 public:
  parts(cluster_transport_options how, event_log& log)
      : how_{std::move(how)}, context_{std::make_shared<link_context>(log, how_.now)} {}
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;
  ~parts() {
    stop();
    if (!context_->wait_until_idle(how_.stop_timeout)) {
      // The run time would wait a minute for a peer that does not read.
      for (const auto& one : links_) {
        if (one) one->abort();
      }
    }
    for (const auto& one : links_) {
      if (one) one->communicator()->destroy();
    }
  }

  [[nodiscard]] result<void> make_communicators() {
    const auto properties = cluster_properties(how_);
    if (!properties) return fail(properties.error());
    context_->is_secure = config::parse_endpoints(how_.listen)->front().is_encrypted();
    context_->frame_bytes_max = how_.frame_bytes_max;
    context_->silence_timeout = how_.silence_timeout;
    for (auto& one : links_) {
      auto communicator = make_communicator(*properties, context_->log);
      if (!communicator) return fail(std::move(communicator).error());
      one = std::make_shared<channel_links>(context_, *std::move(communicator), how_.in_flight_bytes_max);
    }
    return {};
  }

  [[nodiscard]] result<std::string> start(std::shared_ptr<cluster::transport_receiver> to) {
    if (adapter_) return fail(errc::already_exists, "the transport listens at {} already", address_);
    auto address = listen();
    if (!address) return address;
    address_ = *address;
    context_->receiver.open(std::move(to));
    try {
      adapter_->activate();
    } catch (const Ice::Exception&) {
      context_->receiver.close();
      return fail(errc::unavailable, "Ice cannot listen at '{}': {}", how_.listen, to_text(std::current_exception()));
    }
    warn_of_open_door();
    return address_;
  }

  void stop() {
    if (context_->is_stopped.exchange(true)) return;
    context_->receiver.close();
    for (const auto& one : links_) {
      if (one) one->close();
    }
    if (adapter_) adapter_->deactivate();
  }

  [[nodiscard]] cluster::send_outcome send(const std::string& address, cluster::channel on,
                                           const cluster::shared_frame& frame) {
    // Nobody is there any more who would care.
    if (context_->is_stopped) return cluster::send_outcome::accepted;
    if (frame->size() > how_.frame_bytes_max) {
      ++context_->counted.oversized;
      return cluster::send_outcome::refused;
    }
    return of(on).send(address, frame);
  }

  void expect(const std::string& address, std::string_view name) {
    if (!context_->is_secure) return;
    context_->expect(address, name);
    for (const auto& one : links_) one->check_name(address);
  }

  [[nodiscard]] channel_links& of(cluster::channel on) const { return *links_.at(static_cast<std::size_t>(on)); }
  [[nodiscard]] const link_context::counters& counted() const noexcept { return context_->counted; }

 private:
  result<std::string> listen() {
    const auto& communicator = of(cluster::channel::membership).communicator();
    try {
      adapter_ = communicator->createObjectAdapter(std::string{cluster_adapter});
      adapter_->add(std::make_shared<cluster_servant>(context_), {"node", ""});
    } catch (const Ice::SocketException& failed) {
      if (failed.error == EADDRINUSE) {
        return fail(errc::already_exists, "somebody listens at '{}' already", how_.listen);
      }
      return fail(errc::invalid_argument, "nobody can listen at '{}': {}", how_.listen,
                  to_text(std::current_exception()));
    } catch (const Ice::Exception&) {
      return fail(errc::invalid_argument, "nobody can listen at '{}': {}", how_.listen,
                  to_text(std::current_exception()));
    }
    const std::string real = endpoints_of(adapter_);
    const auto address =
        how_.published.empty() ? parse_cluster_address(real) : parse_cluster_address(how_.published, first_port(real));
    if (!address) return fail(address.error());
    if (address->is_encrypted != context_->is_secure) {
      return fail(errc::invalid_argument,
                  "'{}' is published for a node that listens at '{}'; allowed is TLS for both, "
                  "or for none",
                  how_.published, how_.listen);
    }
    if (address->text.size() > address_bytes_max) {
      return fail(errc::invalid_argument,
                  "'{}' makes an address of {} bytes, '{}'; allowed are {}: publish the one that others reach this "
                  "node by",
                  how_.listen, address->text.size(), address->text, address_bytes_max);
    }
    return address->text;
  }

  void warn_of_open_door() const {
    if (context_->is_secure) return;
    const auto endpoints = config::parse_endpoints(how_.listen);
    for (const auto& one : *endpoints) {
      if (one.is_loopback()) continue;
      context_->log.write(
          event{severity::warning, "cluster_without_tls"}
              .with("listen", how_.listen)
              .with("why",
                    "whoever reaches this address can speak for any node of the cluster; listen with ssl, or at "
                    "the loopback address"));
      return;
    }
  }

  const cluster_transport_options how_;
  const std::shared_ptr<link_context> context_;
  std::array<std::shared_ptr<channel_links>, channels> links_;
  Ice::ObjectAdapterPtr adapter_;
  std::string address_;
};

result<std::shared_ptr<cluster_transport>> cluster_transport::make(cluster_transport_options how, event_log& log) {
  auto inner = std::make_unique<parts>(std::move(how), log);
  if (auto made = inner->make_communicators(); !made) return fail(std::move(made).error());
  return std::shared_ptr<cluster_transport>{new cluster_transport{std::move(inner)}};
}

cluster_transport::cluster_transport(std::unique_ptr<parts> inner) noexcept : parts_{std::move(inner)} {}

cluster_transport::~cluster_transport() = default;

result<std::string> cluster_transport::start(std::shared_ptr<cluster::transport_receiver> to) {
  return parts_->start(std::move(to));
}

void cluster_transport::stop() { parts_->stop(); }

cluster::send_outcome cluster_transport::send(const std::string& address, cluster::channel on,
                                              const cluster::shared_frame& frame) {
  return parts_->send(address, on, frame);
}

bool cluster_transport::has_room(const std::string& address, cluster::channel on, std::size_t frame_bytes) const {
  return parts_->of(on).has_room(address, frame_bytes);
}

void cluster_transport::expect(const std::string& address, std::string_view name) { parts_->expect(address, name); }

std::size_t cluster_transport::in_flight_bytes(const std::string& address, cluster::channel on) const {
  return parts_->of(on).in_flight_bytes(address);
}

cluster_transport_counters cluster_transport::counted() const {
  const auto& now = parts_->counted();
  return {.connections = now.connections,
          .refused = now.refused,
          .lost = now.lost,
          .oversized = now.oversized,
          .unreadable_addresses = now.unreadable_addresses,
          .unnamed = now.unnamed,
          .misnamed = now.misnamed,
          .signs_of_life = now.signs_of_life};
}

}  // namespace muster::ice

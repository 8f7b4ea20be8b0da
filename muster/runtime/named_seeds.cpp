#include "muster/runtime/named_seeds.hpp"

#include <fmt/format.h>

#include "muster/config/endpoint_text.hpp"
#include "muster/ice/cluster_address.hpp"
#include "muster/os/name_resolver.hpp"

namespace muster::cluster {
namespace {

/// Frames to one name that wait for its addresses. Greetings: the next come by themselves.
constexpr std::size_t waiting_max = 8;

}  // namespace

named_seeds::named_seeds(std::shared_ptr<event_log> log, std::shared_ptr<transport> over, std::vector<seed_name> names,
                         lookup look_up)
    : log_{std::move(log)}, over_{std::move(over)}, look_up_{std::move(look_up)} {
  for (auto& one : names) {
    std::string address = one.address;
    names_.emplace(std::move(address), name_state{.name = std::move(one)});
  }
}

result<std::string> named_seeds::start(std::shared_ptr<transport_receiver> to) {
  auto address = over_->start(std::move(to));
  if (address) exclude(*address);
  return address;
}

void named_seeds::exclude(const std::string& address) {
  const auto endpoints = config::parse_endpoints(address);
  if (!endpoints) return;
  for (const auto& one : *endpoints) {
    {
      const std::lock_guard lock{mutex_};
      own_.insert(ice::with_host(one.transport, *one.host, one.port));
    }
    if (os::is_numeric_host(*one.host)) continue;
    look_up_(*one.host, [weak = weak_from_this(), transport = one.transport,
                         port = one.port](const result<std::vector<std::string>>& hosts) {
      const auto self = weak.lock();
      if (!self || !hosts) return;
      const std::lock_guard lock{self->mutex_};
      for (const auto& host : *hosts) self->own_.insert(ice::with_host(transport, host, port));
    });
  }
}

void named_seeds::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopped_ = true;
    for (auto& [address, one] : names_) one.waiting.clear();
  }
  over_->stop();
}

send_outcome named_seeds::send(const std::string& address, channel on, const shared_frame& frame) {
  return take(address, on, frame) ? send_outcome::accepted : over_->send(address, on, frame);
}

bool named_seeds::has_room(const std::string& address, channel on, std::size_t frame_bytes) const {
  return over_->has_room(address, on, frame_bytes);
}

void named_seeds::expect(const std::string& address, std::string_view name) {
  {
    const std::lock_guard lock{mutex_};
    if (const auto known = names_.find(address); known != names_.end()) known->second.is_member = !name.empty();
  }
  over_->expect(address, name);
}

bool named_seeds::take(const std::string& address, channel on, const shared_frame& frame) {
  std::string host;
  {
    const std::lock_guard lock{mutex_};
    const auto known = names_.find(address);
    if (known == names_.end() || known->second.is_member) return false;
    auto& one = known->second;
    if (is_stopped_) return true;
    if (one.waiting.size() < waiting_max) one.waiting.emplace_back(on, frame);
    if (std::exchange(one.is_asked, true)) return true;
    host = one.name.host;
  }
  look_up_(host, [weak = weak_from_this(), address](const result<std::vector<std::string>>& hosts) {
    if (const auto self = weak.lock()) self->handle_found(address, hosts);
  });
  return true;
}

void named_seeds::handle_found(const std::string& address, const result<std::vector<std::string>>& hosts) {
  std::vector<std::pair<channel, shared_frame>> frames;
  std::vector<std::string> to;
  bool complains = false;
  {
    const std::lock_guard lock{mutex_};
    auto& one = names_.at(address);
    one.is_asked = false;
    frames.swap(one.waiting);
    complains = !hosts && !one.is_complained_of && !is_stopped_;
    one.is_complained_of = !hosts;
    if (is_stopped_) return;
    if (hosts) {
      for (const auto& host : *hosts) {
        auto numbered = ice::with_host(one.name.transport, host, one.name.port);
        if (!own_.contains(numbered)) to.push_back(std::move(numbered));
      }
    }
  }
  if (complains) {
    log_->write(event{severity::warning, "seed_not_found"}.with("seed", address).with("why", hosts.error().message));
  }
  for (const auto& one : to) {
    // What there is no room for is lost, as on any way; the next greeting comes by itself.
    for (const auto& [on, frame] : frames) (void)over_->send(one, on, frame);
  }
}

}  // namespace muster::cluster

#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Ice/Ice.h>

#include "muster/base/instant.hpp"
#include "muster/config/registry_settings.hpp"
#include "muster/ice/communicator.hpp"
#include "muster/ice/proxies.hpp"
#include "muster/ice/registry_host.hpp"
#include "muster/metrics/registry_metrics.hpp"
#include "muster/os/strand.hpp"
#include "muster/registry/service.hpp"
#include "tests/support/event_recorder.hpp"
#include "tests/support/store_content.hpp"

namespace muster::tests {

/// A store that forgets with the process. The content may be shared with the replica's next life.
class memory_store final : public replication::store {
 public:
  explicit memory_store(std::shared_ptr<store_content> content) : content_{std::move(content)} {}

  result<void> commit(replication::commit&& step) override {
    using kind = replication::commit::kind;
    if (step.what == kind::changes) {
      content_->change(step);
      return {};
    }
    if (step.replacement_begins) replacement_ = {};
    replacement_.write(step.rows);
    if (step.what == kind::replacement_swap) {
      step.rows.clear();
      replacement_.change(step);
      *content_ = std::exchange(replacement_, {});
    }
    return {};
  }

  result<void> load(replication::load_visitor& visitor) override {
    if (!content_->meta.empty()) {
      if (auto read = visitor.meta(content_->meta); !read) return read;
    }
    for (const auto& [place, value] : content_->rows) {
      if (auto read = visitor.row(place.first, place.second, value); !read) return read;
    }
    for (const auto& [number, change] : content_->log) {
      if (auto read = visitor.log(replication::serial{number}, change); !read) return read;
    }
    return {};
  }

 private:
  const std::shared_ptr<store_content> content_;
  store_content replacement_;
};

/// No other replica can be reached.
class lonely_transport final : public registry::transport {
 public:
  void attach(registry::service& to) { service_ = &to; }

  void send(replication::outgoing) override {}
  void discover(replication::discover what) override { service_->handle_discovery_complete(what.question.round); }
  void forward(replication::peer_id, registry::adapter_registration, registry::registration_done done) override {
    done(unreachable());
  }
  void forward(replication::peer_id, registry::process_registration, registry::registration_done done) override {
    done(unreachable());
  }
  void shut_down(replication::peer_id) override {}

 private:
  static registry::registration_outcome unreachable() {
    return tl::unexpected<registry::registration_refusal>{
        {registry::registration_failure::unavailable, "nobody can be reached"}};
  }

  registry::service* service_{nullptr};
};

class no_tail_files final : public registry::tail_files {
 public:
  result<std::string> save(const replication::save_tail& tail) override { return tail.suggested_name; }
};

/// A whole replica in this process, on loopback and free ports, without other replicas and without a disk. Discovery by
/// multicast is off unless `extra` switches it on.
class running_replica {
 public:
  using servants = std::vector<std::function<void(const ice::open_adapters&)>>;

  explicit running_replica(const config::property_map& extra = {}, servants add = {},
                           std::shared_ptr<store_content> content = std::make_shared<store_content>())
      : content_{std::move(content)}, settings_{settings_with(extra)}, store_{content_} {
    communicator_ = value(ice::make_communicator(settings_, properties_with(extra), log));
    ice::registry_host_options how;
    how.settings = settings_;
    how.host_name = "test-host";
    how.seed = 42;
    host_ = value(ice::registry_host::make(communicator_, how, {shell_, log, figures},
                                           {.add_servants = std::move(add),
                                            .on_ready = [this] { ready_.set_value(); },
                                            .on_end = [this](std::string why) { log_end(std::move(why)); }}));
    registry::service_options options;
    options.instance_name = settings_.instance_name;
    options.own = host_->card();
    options.dynamic_registration = settings_.dynamic_registration;
    options.replication.name = settings_.replica_name;
    options.replication.role = settings_.is_master() ? replication::role::master : replication::role::slave;
    options.sessions.sessions_max_per_kind = settings_.sessions.sessions_max;
    service_ = value(registry::service::make(std::move(options),
                                             {.strand = strand_,
                                              .store = store_,
                                              .peers = peers_,
                                              .tails = tails_,
                                              .log = log,
                                              .figures = figures,
                                              .shell = *host_},
                                             7));
    peers_.attach(*service_);
    host_->attach(*service_);
    host_->start();
    service_->start();
  }

  running_replica(const running_replica&) = delete;
  running_replica& operator=(const running_replica&) = delete;
  ~running_replica() { stop(); }

  /// Once the adapters for clients are open and the well-known objects name them.
  void wait_until_ready() {
    if (ready_seen_.wait_for(patience) != std::future_status::ready) throw std::runtime_error{"it never got ready"};
    const auto deadline = os::now() + patience;
    while (service_->current()->view.own->locator().is_null() ||
           !service_->current()->view.own->locator().has_endpoints()) {
      if (os::now() > deadline) throw std::runtime_error{"the well-known objects never got their endpoints"};
      run_a_turn();
    }
  }

  void stop() {
    if (!service_) return;
    host_->close();
    std::promise<void> stopped;
    service_->stop([&] { stopped.set_value(); });
    stopped.get_future().wait_for(patience);
    shell_.stop();
    communicator_->destroy();
    strand_.stop();
    service_.reset();
    host_.reset();
  }

  [[nodiscard]] registry::service& service() noexcept { return *service_; }
  [[nodiscard]] ice::registry_host& host() noexcept { return *host_; }
  [[nodiscard]] const config::registry_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const std::shared_ptr<store_content>& content() const noexcept { return content_; }

  /// Orders a change and waits for its answer.
  result<replication::serial> propose(catalog::change what) {
    std::promise<result<replication::serial>> answered;
    service_->propose(std::move(what), [&](auto outcome) { answered.set_value(std::move(outcome)); });
    return answered.get_future().get();
  }

  /// A proxy text for somebody else's communicator.
  [[nodiscard]] std::string at_client(const std::string& identity) const {
    return text(identity, host_->card().objects.client);
  }
  [[nodiscard]] std::string at_server(const std::string& identity) const {
    return text(identity, host_->card().objects.server);
  }
  [[nodiscard]] std::string at_internal(const std::string& identity) const {
    return text(identity, host_->card().objects.internal);
  }

  event_recorder log;
  metrics::registry_metrics figures;

 private:
  static constexpr std::chrono::seconds patience{20};

  template <typename T>
  static T value(result<T> made) {
    if (!made) throw std::runtime_error{made.error().message};
    return *std::move(made);
  }

  static config::property_map properties_with(const config::property_map& extra) {
    config::property_map all{{"IceGrid.InstanceName", "T"},
                             {"IceGrid.Registry.Client.Endpoints", "tcp -h 127.0.0.1"},
                             {"IceGrid.Registry.Server.Endpoints", "tcp -h 127.0.0.1"},
                             {"IceGrid.Registry.Internal.Endpoints", "tcp -h 127.0.0.1"},
                             {"IceGrid.Registry.LMDB.Path", "unused"},
                             {"IceGrid.Registry.Discovery.Enabled", "0"},
                             {"IceGrid.Registry.DynamicRegistration", "1"}};
    for (const auto& [name, given] : extra) all[name] = given;
    return all;
  }

  static config::registry_settings settings_with(const config::property_map& extra) {
    return value(config::read_registry_settings(properties_with(extra))).settings;
  }

  void run_a_turn() {
    std::promise<void> ran;
    strand_.post([&] { ran.set_value(); });
    ran.get_future().get();
  }

  void log_end(std::string why) { log.write(event{severity::error, "must_end"}.with("message", why)); }

  [[nodiscard]] std::string text(const std::string& identity, const catalog::encoded_proxy& endpoints) const {
    auto proxy = value(ice::to_proxy(communicator_, endpoints.content()));
    if (!proxy) throw std::runtime_error{"that adapter is not open"};
    return communicator_->proxyToString(proxy->ice_identity(Ice::stringToIdentity(identity)));
  }

  const std::shared_ptr<store_content> content_;
  const config::registry_settings settings_;
  memory_store store_;
  lonely_transport peers_;
  no_tail_files tails_;
  os::strand strand_{os::strand::options{.name = "replica"}};
  os::strand shell_{os::strand::options{.name = "shell"}};
  std::promise<void> ready_;
  std::future<void> ready_seen_{ready_.get_future()};
  Ice::CommunicatorPtr communicator_;
  std::unique_ptr<ice::registry_host> host_;
  std::unique_ptr<registry::service> service_;
};

}  // namespace muster::tests

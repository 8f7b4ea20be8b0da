#include "apps/registry_process.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <utility>

#include "apps/replication_options.hpp"
#include "muster/ice/administration.hpp"
#include "muster/ice/communicator.hpp"
#include "muster/ice/process_facet.hpp"
#include "muster/ice/verifiers.hpp"
#include "muster/os/configured_hosts.hpp"
#include "muster/os/entropy.hpp"
#include "muster/os/file.hpp"
#include "muster/os/http_health.hpp"
#include "muster/os/locked_key.hpp"
#include "muster/os/user_account_file.hpp"

namespace muster::apps {
namespace {

// How long the end may wait for callers and peers before it goes on without them.
constexpr std::chrono::seconds stop_timeout{5};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string{name.data()} : std::string{"localhost"};
}

os::health to_health(const registry::published& now, const std::string& replica) {
  return {.is_serving = now.serves,
          .replica = replica,
          .role = std::string{replication::to_string(now.role)},
          .phase = std::string{replication::to_string(now.phase)},
          .master = now.master_name,
          .term = now.term.number,
          .serial = now.serial.value(),
          .trouble = now.trouble};
}

ice::password_check check_with(os::crypt_password_worker& worker) {
  return [&worker](std::string user, std::string password, std::function<void(result<bool>)> then) {
    worker.check(std::move(user), std::move(password), std::move(then));
  };
}

}  // namespace

// Diverged tails lie beside the database that they were part of.
class registry_process::tail_directory final : public registry::tail_files {
 public:
  explicit tail_directory(std::filesystem::path path) : path_{std::move(path)} {}

  result<std::string> save(const replication::save_tail& tail) override {
    const auto file = path_ / tail.suggested_name;
    if (auto saved = os::save_file(file, tail.content); !saved) return fail(std::move(saved).error());
    return file.string();
  }

 private:
  const std::filesystem::path path_;
};

registry_process::registry_process(config::registry_settings settings, config::property_map properties,
                                   std::unique_ptr<os::log> log)
    : settings_{std::move(settings)}, properties_{std::move(properties)}, log_{std::move(log)} {}

registry_process::~registry_process() { stop(); }

result<void> registry_process::open_data() {
  auto directory = os::data_directory::take(settings_.database.path);
  if (!directory) {
    const auto& cause = directory.error();
    return fail(cause.code, "IceGrid.Registry.LMDB.Path={}: {}", settings_.database.path, cause.message);
  }
  directory_.emplace(std::move(*directory));
  os::lmdb_store::options how;
  how.map_bytes = settings_.database.map_bytes;
  how.map_limit_bytes = settings_.database.map_bytes_max;
  how.warn_percent = settings_.database.map_warn_percent;
  how.report = [this](const event& what) { log_->write(what); };
  auto store = os::lmdb_store::open(*directory_, std::move(how));
  if (!store) return fail(std::move(store).error());
  store_ = std::move(*store);
  tails_ = std::make_unique<tail_directory>(directory_->path());
  return {};
}

result<void> registry_process::open_passwords(ice::registry_host_options& host) {
  const auto open = [](std::string_view property, const std::string& file,
                       std::unique_ptr<os::crypt_password_worker>& worker, ice::password_check& check) -> result<void> {
    if (file.empty()) return {};
    auto passwords = os::crypt_password_file::load(file);
    if (!passwords) return fail(passwords.error().code, "{}: {}", property, passwords.error().message);
    worker = std::make_unique<os::crypt_password_worker>(std::move(*passwords));
    check = check_with(*worker);
    return {};
  };
  if (auto done = open("IceGrid.Registry.CryptPasswords", settings_.client_permissions.crypt_passwords,
                       client_passwords_, host.client_passwords);
      !done) {
    return done;
  }
  return open("IceGrid.Registry.AdminCryptPasswords", settings_.admin_permissions.crypt_passwords, admin_passwords_,
              host.admin_passwords);
}

result<void> registry_process::read_values(ice::registry_host_options& host) {
  host.settings = settings_;
  host.host_name = host_name();
  host.seed = os::entropy_seed();
  if (auto opened = open_passwords(host); !opened) return opened;
  if (!settings_.user_accounts.empty()) {
    auto accounts = os::load_user_accounts(settings_.user_accounts);
    if (!accounts) {
      return fail(accounts.error().code, "IceGrid.Registry.UserAccounts: {}", accounts.error().message);
    }
    host.user_accounts = *std::move(accounts);
  }
  if (auto known = os::check_hosts(settings_); !known) return known;
  if (auto usable = os::check_locked_key(properties_); !usable) return usable;
  // Certificates and keys are read here.
  auto communicator = ice::make_communicator(settings_, properties_, *log_);
  if (!communicator) return fail(std::move(communicator).error());
  communicator_ = std::move(*communicator);
  const auto verifiers =
      ice::make_verifiers(communicator_, settings_, {host.client_passwords, host.admin_passwords, nullptr});
  return verifiers ? result<void>{} : fail(verifiers.error());
}

result<void> registry_process::open(std::function<void()> on_ready) {
  ice::registry_host_options how;
  if (auto read = read_values(how); !read) return read;
  if (auto opened = open_data(); !opened) return opened;

  strand_ = std::make_unique<os::strand>(os::strand::options{.name = "replica"});
  shell_ = std::make_unique<os::strand>(os::strand::options{.name = "shell"});
  peers_ = ice::replica_transport::make(communicator_,
                                        {.instance_name = settings_.instance_name,
                                         .replica_name = settings_.replica_name,
                                         .locator_is_discovered = settings_.locator.uses_discovery_plugin,
                                         .discovery_timeout = settings_.replication.discovery_timeout,
                                         .forward_timeout = settings_.requests.forward_timeout,
                                         .in_flight_bytes_max = settings_.replication.in_flight_bytes_max,
                                         .requires_certificate_name = settings_.require_replica_certificate_name},
                                        *log_);

  auto host =
      ice::registry_host::make(communicator_, how, {.shell = *shell_, .log = *log_, .figures = figures_},
                               {.add_servants = {[](const ice::open_adapters& open) { ice::add_administration(open); }},
                                .on_ready = std::move(on_ready),
                                .on_end = [this](std::string sentence) { end(std::move(sentence)); }});
  if (!host) return fail(std::move(host).error());
  host_ = std::move(*host);
  host_->internal_adapter()->add(peers_->servant(), peers_->identity());
  peers_->set_own_proxy(host_->internal_adapter()->createDirectProxy(peers_->identity()));

  auto service = registry::service::make({.instance_name = settings_.instance_name,
                                          .own = host_->card(),
                                          .dynamic_registration = settings_.dynamic_registration,
                                          .replication = to_replication_options(settings_),
                                          .sessions = {.sessions_max_per_kind = settings_.sessions.sessions_max},
                                          .replica_trace = settings_.trace.replica},
                                         {.strand = *strand_,
                                          .store = *store_,
                                          .peers = *peers_,
                                          .tails = *tails_,
                                          .log = *log_,
                                          .figures = figures_,
                                          .shell = *host_},
                                         os::entropy_seed());
  if (!service) return fail(std::move(service).error());
  service_ = std::move(*service);
  peers_->attach(*service_);
  host_->attach(*service_);
  if (auto opened = start_http(); !opened) return opened;
  return ice::open_process_administration(communicator_, [this] { end({}); });
}

void registry_process::begin() {
  host_->start();
  service_->start();
  begun_ = true;
}

result<void> registry_process::start_http() {
  if (!settings_.http) return {};
  auto server = os::http_server::start(
      {.host = settings_.http->host, .port = settings_.http->port},
      {{"/metrics",
        [this] {
          return os::http_response{200, std::string{metrics::prometheus_content_type}, metrics_text()};
        }},
       {"/health", [this] { return os::to_http(to_health(*service_->current(), settings_.replica_name)); }}});
  if (!server) return fail(server.error().code, "Muster.Registry.Http.Endpoint: {}", server.error().message);
  http_ = std::move(*server);
  return {};
}

std::string registry_process::metrics_text() {
  const auto usage = store_->measure();
  figures_.map_used_bytes.set_count(usage.used_bytes);
  figures_.map_bytes.set_count(usage.map_bytes);
  figures_.map_limit_bytes.set_count(usage.map_limit_bytes);
  return metrics::to_prometheus_text(figures_, MUSTER_VERSION);
}

std::string registry_process::wait() {
  std::unique_lock lock{mutex_};
  ended_.wait(lock, [this] { return end_sentence_.has_value(); });
  return *end_sentence_;
}

void registry_process::end(std::string sentence) {
  const std::lock_guard lock{mutex_};
  if (!end_sentence_) end_sentence_ = std::move(sentence);
  ended_.notify_all();
}

void registry_process::stop() {
  http_.reset();
  if (host_) host_->close();
  if (service_ && begun_) {
    auto done = std::make_shared<std::promise<void>>();
    auto stopped = done->get_future();
    service_->stop([done] { done->set_value(); });
    if (stopped.wait_for(stop_timeout) != std::future_status::ready) {
      log_->write(event{severity::warning, "stop_overdue"}.with("seconds", stop_timeout.count()));
    }
    begun_ = false;
  }
  // No callback of the run time reaches the service once the communicator is destroyed, and the strands run until then.
  if (peers_) peers_->close();
  if (shell_) shell_->stop();
  if (communicator_) communicator_->destroy();
  if (strand_) strand_->stop();
  service_.reset();
  host_.reset();
  peers_.reset();
  communicator_.reset();
  client_passwords_.reset();
  admin_passwords_.reset();
  store_.reset();
}

}  // namespace muster::apps

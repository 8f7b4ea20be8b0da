#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <Ice/Ice.h>

#include "muster/config/property_map.hpp"
#include "muster/config/registry_settings.hpp"
#include "muster/ice/registry_host.hpp"
#include "muster/ice/replica_transport.hpp"
#include "muster/metrics/registry_metrics.hpp"
#include "muster/os/crypt_password_worker.hpp"
#include "muster/os/data_directory.hpp"
#include "muster/os/http_server.hpp"
#include "muster/os/lmdb_store.hpp"
#include "muster/os/log.hpp"
#include "muster/os/strand.hpp"
#include "muster/registry/service.hpp"

namespace muster::apps {

/// One replica as a process: everything that it owns, put together in the order of its members and taken apart in the
/// reverse order. Used by the main thread alone, except for `end`.
class registry_process {
 public:
  registry_process(config::registry_settings settings, config::property_map properties, std::unique_ptr<os::log> log);
  ~registry_process();
  registry_process(const registry_process&) = delete;
  registry_process& operator=(const registry_process&) = delete;

  /// Reads what the settings point at (files of passwords, certificates, names of hosts), and only when all of that is
  /// in order opens the data and the network. Errors stop the start; nothing of it is left then.
  [[nodiscard]] result<void> open(std::function<void()> on_ready);

  /// Begins what `open` has opened.
  void begin();

  /// Blocks until the process has to end; gives why, or nothing when it ends in good order.
  [[nodiscard]] std::string wait();

  /// Lets `wait` return. The first sentence counts. Any thread.
  void end(std::string sentence);

  /// Ends what `begin` began: clients go elsewhere, sessions are closed, callers answered. Bounded.
  void stop();

 private:
  class tail_directory;

  [[nodiscard]] result<void> read_values(ice::registry_host_options& host);
  [[nodiscard]] result<void> open_data();
  [[nodiscard]] result<void> open_passwords(ice::registry_host_options& host);
  [[nodiscard]] result<void> start_http();
  [[nodiscard]] std::string metrics_text();

  const config::registry_settings settings_;
  const config::property_map properties_;
  const std::unique_ptr<os::log> log_;
  metrics::registry_metrics figures_;

  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<std::string> end_sentence_;

  std::optional<os::data_directory> directory_;
  std::unique_ptr<os::lmdb_store> store_;
  std::unique_ptr<tail_directory> tails_;
  std::unique_ptr<os::crypt_password_worker> client_passwords_;
  std::unique_ptr<os::crypt_password_worker> admin_passwords_;
  std::unique_ptr<os::strand> strand_;
  std::unique_ptr<os::strand> shell_;
  Ice::CommunicatorPtr communicator_;
  std::shared_ptr<ice::replica_transport> peers_;
  std::unique_ptr<ice::registry_host> host_;
  std::unique_ptr<registry::service> service_;
  std::unique_ptr<os::http_server> http_;
  bool begun_{false};
};

}  // namespace muster::apps

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Ice/Ice.h>
#include <IceGrid/Admin.h>
#include <IceGrid/Registry.h>

#include "bench/processes.hpp"

namespace muster::bench {

enum class product : std::uint8_t { stock, muster };
[[nodiscard]] std::string_view to_text(product which) noexcept;

/// Where the programs lie.
struct programs {
  std::string stock = "icegridregistry";
  std::string muster;
  std::string own;  // this program, for the constant servant
};

/// The stock client runtime as a client would set it up; sessions live as long as their connection does.
[[nodiscard]] Ice::CommunicatorPtr make_client();

/// One replica of either product on loopback, configured alike, with a database of its own. Thread pools are left at
/// each product's defaults.
class registry {
 public:
  struct options {
    std::string replica = "Master";
    /// The locator of the replicas, for a slave; empty for a master.
    std::string locator;
    /// Copied for a database that is there already.
    std::filesystem::path database_from;
  };

  registry(const programs& where, product which, std::filesystem::path folder, options chosen);

  void start();  ///< Starts the process and does not wait.
  void start_and_wait();
  [[nodiscard]] process& running() { return *process_; }
  void stop() { process_->stop(); }

  [[nodiscard]] product which() const noexcept { return which_; }
  [[nodiscard]] bool is_slave() const noexcept { return !options_.locator.empty(); }
  [[nodiscard]] std::string client_endpoint() const;
  /// The proxy of its locator as clients have it in `Ice.Default.Locator`.
  [[nodiscard]] std::string locator_text() const;
  [[nodiscard]] const std::filesystem::path& database() const noexcept { return database_; }
  /// When its database file was written last, and how large it is on disk.
  [[nodiscard]] std::filesystem::file_time_type written_at() const;
  [[nodiscard]] std::uint64_t database_bytes() const;

  /// Returns when it answers locate requests; throws with the end of its log when it does not within two minutes.
  void wait_until_it_answers();
  /// Returns when this master knows the slave as active.
  void wait_for_slave(const std::string& replica);
  /// Returns when the object can be located through this replica; asks every millisecond, over new connections too.
  void wait_for_object(const std::string& name);

 private:
  void write_configuration() const;
  [[nodiscard]] std::vector<std::filesystem::path> database_files() const;
  void wait_for_identity(const Ice::Identity& id, std::string_view what);

  programs where_;
  product which_;
  std::filesystem::path folder_;
  std::filesystem::path database_;
  options options_;
  std::uint16_t client_port_;
  std::uint16_t server_port_;
  std::uint16_t internal_port_;
  std::unique_ptr<process> process_;
};

/// A master and slaves named Slave1, Slave2, ..., all active.
struct grid {
  std::unique_ptr<registry> master;
  std::vector<std::unique_ptr<registry>> slaves;
};
[[nodiscard]] grid start_grid(const programs& where, product which, work_directory& below, int slaves);

/// Proxies to a replica over connections of their own: the n-th asks over the n-th connection.
[[nodiscard]] std::vector<std::shared_ptr<Ice::LocatorPrx>> locators(const Ice::CommunicatorPtr& client,
                                                                     const registry& of, int connections);
/// Each from an administrative session of its own, which lives until the client is destroyed.
[[nodiscard]] std::vector<std::shared_ptr<IceGrid::AdminPrx>> admins(const Ice::CommunicatorPtr& client,
                                                                     const registry& master, int connections);
[[nodiscard]] std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>> locator_registries(
    const Ice::CommunicatorPtr& client, const registry& master, int connections);

}  // namespace muster::bench

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/base/event.hpp"
#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::config {

/// Endpoints as Ice reads them, each validated for form. Empty means: not opened.
struct endpoint_settings {
  std::string client;                 ///< IceGrid.Registry.Client.Endpoints; never empty
  std::string server;                 ///< IceGrid.Registry.Server.Endpoints; never empty
  std::string internal;               ///< IceGrid.Registry.Internal.Endpoints; never empty
  std::string session_manager;        ///< IceGrid.Registry.SessionManager.Endpoints
  std::string admin_session_manager;  ///< IceGrid.Registry.AdminSessionManager.Endpoints
  friend bool operator==(const endpoint_settings&, const endpoint_settings&) = default;
};

struct database_settings {
  std::string path;  ///< as given: relative to the working directory; may not exist yet
  std::uint64_t map_bytes{};
  std::uint64_t map_bytes_max{};  ///< the map grows by itself up to this; not below `map_bytes`
  unsigned map_warn_percent{};    ///< warn when this much of `map_bytes_max` is used
  friend bool operator==(const database_settings&, const database_settings&) = default;
};

struct session_settings {
  std::optional<std::chrono::seconds> session_timeout;  ///< none: sessions end with their connection only
  std::chrono::seconds node_session_timeout{};
  std::chrono::seconds replica_session_timeout{};
  std::size_t sessions_max{};
  friend bool operator==(const session_settings&, const session_settings&) = default;
};

struct discovery_settings {
  bool enabled{};
  std::string address;
  std::uint16_t port{};
  std::string interface;
  std::string endpoints;  ///< given, or made of the three above
  friend bool operator==(const discovery_settings&, const discovery_settings&) = default;
};

/// Who checks those who want a session. All empty: such sessions are denied.
struct permission_settings {
  std::string verifier;         ///< proxy of a Glacier2::PermissionsVerifier
  std::string ssl_verifier;     ///< proxy of a Glacier2::SSLPermissionsVerifier
  std::string crypt_passwords;  ///< file `user hash`; used when `verifier` is empty
  friend bool operator==(const permission_settings&, const permission_settings&) = default;
};

struct trace_settings {
  int adapter{};
  int admin{};
  int application{};
  int discovery{};
  int locator{};
  int object{};
  int replica{};
  int server{};
  int session{};
  friend bool operator==(const trace_settings&, const trace_settings&) = default;
};

/// Where a replica looks for the others.
struct locator_settings {
  std::string default_locator;   ///< Ice.Default.Locator
  bool uses_discovery_plugin{};  ///< IceLocatorDiscovery is loaded
  std::string
      discovery_instance;  ///< IceLocatorDiscovery.InstanceName, else IceGrid.InstanceName, as given; may be empty
  friend bool operator==(const locator_settings&, const locator_settings&) = default;
};

struct replication_settings {
  std::chrono::milliseconds acknowledge_timeout{};  ///< a slave that needs longer is dropped from the active set
  std::chrono::milliseconds heartbeat_interval{};
  std::chrono::milliseconds
      master_silence_timeout{};                   ///< a slave gives a silent master up; at most ReplicaSessionTimeout
  std::chrono::milliseconds discovery_timeout{};  ///< bound for asking the other replicas at a start or search
  std::size_t active_slaves_min{};                ///< changes are refused while fewer slaves are active
  std::size_t slaves_max{};
  std::uint64_t log_changes_max{};  ///< changes kept for catch-up
  std::uint64_t log_bytes_max{};
  std::uint64_t snapshot_chunk_bytes{};
  std::uint64_t in_flight_bytes_max{};  ///< handed to the transport for one peer and not yet on their way
  std::size_t batch_changes_max{};      ///< changes in one commit
  friend bool operator==(const replication_settings&, const replication_settings&) = default;
};

struct request_settings {
  std::chrono::milliseconds probe_timeout{};     ///< addObject asks the target for its type
  std::chrono::milliseconds verifier_timeout{};  ///< a permissions verifier that is an Ice object
  std::chrono::milliseconds forward_timeout{};   ///< a slave hands a registration to the master
  std::size_t changes_waiting_max{};             ///< a change beyond these is refused at once
  friend bool operator==(const request_settings&, const request_settings&) = default;
};

struct http_settings {
  std::string host;  ///< a literal address or "localhost"
  std::uint16_t port{};
  friend bool operator==(const http_settings&, const http_settings&) = default;
};

enum class log_target { standard_error, file, syslog, journal };

struct log_settings {
  severity level{severity::info};
  log_target target{log_target::standard_error};
  std::string file;     ///< for `log_target::file`
  std::string program;  ///< Ice.ProgramName, or "muster"
  friend bool operator==(const log_settings&, const log_settings&) = default;
};

/// What the command line says about this one start.
struct start_options {
  bool warns_of_security{true};  ///< false: --nowarn
  bool read_only{};
  bool force{};
  std::optional<std::string> initialise_from_replica{};
  bool leaves_directory{};    ///< runs as a daemon whose working directory becomes /
  bool closes_descriptors{};  ///< runs as a daemon whose standard error goes nowhere
  friend bool operator==(const start_options&, const start_options&) = default;
};

/// Everything a replica needs to know before it opens anything; plain values, validated, defaults filled in.
struct registry_settings {
  std::string instance_name;
  std::string replica_name;
  endpoint_settings endpoints;
  database_settings database;
  session_settings sessions;
  bool dynamic_registration{};
  discovery_settings discovery;
  permission_settings client_permissions;
  permission_settings admin_permissions;
  std::string user_accounts;  ///< file `account user`; empty: there is no such object
  bool require_replica_certificate_name{};
  bool require_node_certificate_name{};
  trace_settings trace;
  locator_settings locator;
  replication_settings replication;
  request_settings requests;
  std::optional<http_settings> http;
  log_settings log;
  start_options start;

  /// IceGrid's rule: the replica named exactly `Master` is the master.
  [[nodiscard]] bool is_master() const { return replica_name == "Master"; }
  friend bool operator==(const registry_settings&, const registry_settings&) = default;
};

/// Settings, and what the operator should know although it does not stop the start: one sentence each, which names the
/// property and what happens.
struct settings_with_warnings {
  registry_settings settings;
  std::vector<std::string> warnings;
};

/// Where and how much any verb logs: Muster.Log.Level, Ice.LogFile and the like. `invalid_argument` as below.
[[nodiscard]] result<log_settings> read_log_settings(const property_map& properties);

/// Validates all properties that are this program's business, before anything is opened.
///
/// - A value that does not fit: `invalid_argument`; the one line names the property, its value and what is allowed.
/// - A name below `IceGrid.` or `Muster.` that is not known: `invalid_argument`, with the nearest known name. It is not
///   just warned about, because a misspelt property may be one that was to protect something.
/// - A property of Ice 3.7 that is not supported yet: `unsupported` if to ignore it would be unsafe, else a warning.
/// - Properties of other subsystems (`Ice.`, `IceSSL.`, `IceGrid.Node.` …) are read where they matter and otherwise
/// left alone.
[[nodiscard]] result<settings_with_warnings> read_registry_settings(const property_map& properties,
                                                                    const start_options& start = {});

}  // namespace muster::config

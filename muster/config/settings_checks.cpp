#include "muster/config/settings_checks.hpp"

#include <algorithm>
#include <cctype>

#include "muster/config/endpoint_text.hpp"
#include "muster/config/property_table.hpp"

namespace muster::config {
namespace {

result<void> require(std::string_view name, std::string_view value) {
  if (!value.empty()) return {};
  return fail(errc::invalid_argument, "{} is not set; it needs {}", name, allowed_values(*find_property(name)));
}

/// Those who come from an older Ice have the path, under another name.
result<void> require_database(const property_map& properties, const registry_settings& settings) {
  if (settings.database.path.empty() && properties.contains("IceGrid.Registry.Data")) {
    return fail(
        errc::invalid_argument,
        "IceGrid.Registry.LMDB.Path is not set; it needs a directory for the database (IceGrid.Registry.Data={} is "
        "of Ice before 3.7, and its databases have to be imported)",
        properties.find("IceGrid.Registry.Data")->second);
  }
  return require("IceGrid.Registry.LMDB.Path", settings.database.path);
}

result<void> check_locator(const registry_settings& settings) {
  const locator_settings& locator = settings.locator;
  const bool has_locator = !locator.default_locator.empty();
  if (has_locator) {
    const auto proxy = parse_proxy(locator.default_locator);
    if (!proxy) {
      return fail(errc::invalid_argument, "Ice.Default.Locator={}: {}; allowed is <instance>/Locator:<endpoints>",
                  locator.default_locator, proxy.error().message);
    }
    if (!settings.is_master() && proxy->endpoints.empty()) {
      return fail(
          errc::invalid_argument,
          "Ice.Default.Locator={}: it has no endpoints; allowed is <instance>/Locator:<endpoints of the replicas>",
          locator.default_locator);
    }
  }
  if (settings.is_master() || has_locator || locator.uses_discovery_plugin) return {};
  return fail(errc::invalid_argument,
              "Ice.Default.Locator is not set: replica {} is a slave (IceGrid.Registry.ReplicaName is not Master) and "
              "finds its master there; set it to <instance>/Locator:<endpoints of the replicas>, or load the plug-in "
              "IceLocatorDiscovery",
              settings.replica_name);
}

result<void> check_start(const registry_settings& settings) {
  const start_options& start = settings.start;
  const bool is_slave = !settings.is_master();
  if (is_slave && start.read_only) {
    return fail(errc::invalid_argument, "--readonly: replica {} is a slave; only a master can be started read-only",
                settings.replica_name);
  }
  if (is_slave && start.force) {
    return fail(errc::invalid_argument, "--force: replica {} is a slave; only the start of a master can be forced",
                settings.replica_name);
  }
  if (!start.initialise_from_replica) return {};
  const std::string& from = *start.initialise_from_replica;
  if (from.empty() || from == settings.replica_name) {
    return fail(errc::invalid_argument, "--initdb-from-replica={}: allowed is the name of another replica", from);
  }
  if (settings.locator.default_locator.empty() && !settings.locator.uses_discovery_plugin) {
    return fail(errc::invalid_argument,
                "--initdb-from-replica={}: Ice.Default.Locator has to be set to find that replica", from);
  }
  return {};
}

result<void> check_numbers(const registry_settings& settings) {
  const database_settings& database = settings.database;
  constexpr std::uint64_t mebibyte = 1024 * 1024;
  if (database.map_bytes_max < database.map_bytes) {
    return fail(errc::invalid_argument,
                "Muster.Registry.LMDB.MapSizeMax={}: allowed is a value not below IceGrid.Registry.LMDB.MapSize={}",
                database.map_bytes_max / mebibyte, database.map_bytes / mebibyte);
  }
  const auto heartbeat = settings.replication.heartbeat_interval;
  const auto silence = settings.replication.master_silence_timeout;
  if (2 * heartbeat > silence) {
    return fail(
        errc::invalid_argument,
        "Muster.Registry.HeartbeatInterval={}: allowed is at most half of {} ms, after which a silent replica is "
        "given up (the less of Muster.Registry.MasterSilenceTimeout and IceGrid.Registry.ReplicaSessionTimeout)",
        heartbeat.count(), silence.count());
  }
  if (settings.replication.active_slaves_min > settings.replication.slaves_max) {
    return fail(errc::invalid_argument,
                "Muster.Registry.MinActiveSlaves={}: allowed is a value not above Muster.Registry.SlavesMax={}",
                settings.replication.active_slaves_min, settings.replication.slaves_max);
  }
  return {};
}

result<void> check_discovery(const discovery_settings& discovery) {
  const auto endpoints = parse_endpoints(discovery.endpoints);
  if (!endpoints) {
    return fail(errc::invalid_argument, "IceGrid.Registry.Discovery.Endpoints={}: {}", discovery.endpoints,
                endpoints.error().message);
  }
  for (const endpoint_text& endpoint : *endpoints) {
    if (endpoint.transport == "udp") continue;
    return fail(errc::invalid_argument, "IceGrid.Registry.Discovery.Endpoints={}: allowed are udp endpoints only",
                discovery.endpoints);
  }
  return {};
}

std::string value_of(const property_map& properties, std::string_view name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string{} : found->second;
}

/// Of Ice's own properties, the one that opens something here.
result<void> check_process_administration(const property_map& properties) {
  const std::string given = value_of(properties, "Ice.Admin.Endpoints");
  if (given.empty()) return {};
  const auto endpoints = parse_endpoints(given);
  if (endpoints) return {};
  return fail(errc::invalid_argument, "Ice.Admin.Endpoints={}: {}; allowed is {}", given, endpoints.error().message,
              allowed_values(*find_property("IceGrid.Registry.Client.Endpoints")));
}

/// Endpoints as they will be opened: `default` and a missing host take what Ice.Default.* say.
std::vector<endpoint_text> resolved_endpoints(const property_map& properties, std::string_view text) {
  auto endpoints = parse_endpoints(text).value_or(std::vector<endpoint_text>{});
  const auto value_or = [&](std::string_view name, const char* otherwise) {
    const auto found = properties.find(name);
    return found == properties.end() || found->second.empty() ? std::string{otherwise} : found->second;
  };
  const std::string host = value_or("Ice.Default.Host", "");
  for (endpoint_text& endpoint : endpoints) {
    if (endpoint.transport == "default") endpoint.transport = value_or("Ice.Default.Protocol", "tcp");
    if (!endpoint.host && !host.empty()) endpoint.host = host;
  }
  return endpoints;
}

bool is_open(const std::vector<endpoint_text>& endpoints) {
  return std::any_of(endpoints.begin(), endpoints.end(), [](const endpoint_text& one) { return !one.is_loopback(); });
}

bool is_open_in_plain_text(const std::vector<endpoint_text>& endpoints) {
  return std::any_of(endpoints.begin(), endpoints.end(),
                     [](const endpoint_text& one) { return !one.is_loopback() && !one.is_encrypted(); });
}

bool accepts_everybody(const std::string& verifier) {
  const auto proxy = parse_proxy(verifier);
  return proxy && (proxy->name == "NullPermissionsVerifier" || proxy->name == "NullSSLPermissionsVerifier");
}

bool is_relative(const std::string& path) { return !path.empty() && path.front() != '/'; }

}  // namespace

result<void> complete_instance_name(registry_settings& settings) {
  const auto locator = parse_proxy(settings.locator.default_locator);
  const std::string category = locator ? locator->category : std::string{};
  if (settings.instance_name.empty()) settings.instance_name = settings.locator.discovery_instance;
  if (settings.instance_name.empty()) settings.instance_name = category;
  if (settings.instance_name.empty()) settings.instance_name = "IceGrid";
  if (!settings.is_master() && locator && category != settings.instance_name) {
    return fail(errc::invalid_argument,
                "IceGrid.InstanceName={}: allowed on a slave is the category of Ice.Default.Locator, which is '{}'",
                settings.instance_name, category);
  }
  return {};
}

result<void> check_settings(const property_map& properties, const registry_settings& settings) {
  for (const auto& [name, value] : {
           std::pair<std::string_view, std::string_view>{"IceGrid.Registry.Client.Endpoints",
                                                         settings.endpoints.client},
           {"IceGrid.Registry.Server.Endpoints", settings.endpoints.server},
           {"IceGrid.Registry.Internal.Endpoints", settings.endpoints.internal},
       }) {
    if (auto present = require(name, value); !present) return present;
  }
  if (auto present = require_database(properties, settings); !present) return present;
  if (auto found = check_locator(settings); !found) return found;
  if (auto allowed = check_start(settings); !allowed) return allowed;
  if (auto fitting = check_numbers(settings); !fitting) return fitting;
  if (auto readable = check_process_administration(properties); !readable) return readable;
  return check_discovery(settings.discovery);
}

void warn_of_surprises(const property_map& properties, const registry_settings& settings,
                       std::vector<std::string>& warnings) {
  std::string lower = settings.replica_name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "master" && !settings.is_master()) {
    warnings.push_back(fmt::format(
        "IceGrid.Registry.ReplicaName={} makes this replica a slave: only the one named exactly Master is the master",
        settings.replica_name));
  }
  if (const auto given = value_of(properties, "Ice.Admin.Endpoints");
      !given.empty() && value_of(properties, "Ice.Admin.InstanceName").empty()) {
    warnings.push_back(
        fmt::format("Ice.Admin.Endpoints={} has no effect, because Ice.Admin.InstanceName is not set", given));
  }
  const auto warn_of_unused_passwords = [&](const permission_settings& who, std::string_view prefix) {
    if (who.verifier.empty() || who.crypt_passwords.empty()) return;
    warnings.push_back(fmt::format(
        "IceGrid.Registry.{0}CryptPasswords={1} has no effect, because IceGrid.Registry.{0}PermissionsVerifier is set",
        prefix, who.crypt_passwords));
  };
  warn_of_unused_passwords(settings.client_permissions, "");
  warn_of_unused_passwords(settings.admin_permissions, "Admin");
  if (settings.start.leaves_directory && is_relative(settings.database.path)) {
    warnings.push_back(fmt::format(
        "IceGrid.Registry.LMDB.Path={0} is relative and a daemon works in /, so the database is /{0}; give an absolute "
        "path, or --nochdir",
        settings.database.path));
  }
  if (settings.start.closes_descriptors && settings.log.target == log_target::standard_error) {
    warnings.emplace_back(
        "the log goes nowhere: a daemon closes standard error; set Ice.LogFile, Ice.UseSyslog or "
        "Ice.UseSystemdJournal, "
        "or give --noclose");
  }
}

void warn_of_openness(const property_map& properties, const registry_settings& settings,
                      std::vector<std::string>& warnings) {
  const auto client = resolved_endpoints(properties, settings.endpoints.client);
  const auto server = resolved_endpoints(properties, settings.endpoints.server);
  const auto internal = resolved_endpoints(properties, settings.endpoints.internal);
  if (is_open(client)) {
    for (const auto& [name, verifier] : {std::pair<std::string_view, const std::string&>{
                                             "AdminPermissionsVerifier", settings.admin_permissions.verifier},
                                         {"AdminSSLPermissionsVerifier", settings.admin_permissions.ssl_verifier}}) {
      if (!accepts_everybody(verifier)) continue;
      warnings.push_back(
          fmt::format("IceGrid.Registry.{}={}: everybody who reaches the client endpoints may administer this registry",
                      name, verifier));
    }
  }
  if (is_open_in_plain_text(internal)) {
    warnings.push_back(fmt::format(
        "IceGrid.Registry.Internal.Endpoints={}: who reaches these endpoints can read and replace what is registered; "
        "use ssl, or -h with an address that strangers do not reach",
        settings.endpoints.internal));
  }
  if (settings.dynamic_registration && is_open_in_plain_text(server)) {
    warnings.push_back(fmt::format(
        "IceGrid.Registry.Server.Endpoints={}: with IceGrid.Registry.DynamicRegistration who reaches these endpoints "
        "can register and replace adapters",
        settings.endpoints.server));
  }
  if (settings.http && !endpoint_text{"tcp", settings.http->host, {}}.is_loopback()) {
    warnings.push_back(
        fmt::format("Muster.Registry.Http.Endpoint={}:{}: metrics and health are shown to everybody who "
                    "reaches it",
                    settings.http->host, settings.http->port));
  }
  if (settings.require_replica_certificate_name &&
      std::any_of(internal.begin(), internal.end(), [](const endpoint_text& one) { return !one.is_encrypted(); })) {
    warnings.push_back(fmt::format(
        "IceGrid.Registry.Internal.Endpoints={}: replicas that come over an endpoint without TLS are refused, because "
        "IceGrid.Registry.RequireReplicaCertCN is set",
        settings.endpoints.internal));
  }
}

}  // namespace muster::config

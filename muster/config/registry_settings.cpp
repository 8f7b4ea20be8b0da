#include "muster/config/registry_settings.hpp"

#include <algorithm>
#include <cctype>

#include "muster/config/endpoint_text.hpp"
#include "muster/config/host_port.hpp"
#include "muster/config/property_table.hpp"
#include "muster/config/settings_checks.hpp"
#include "muster/config/value_reader.hpp"

namespace muster::config {
namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024;

/// A row that nothing else tells about: where it is used, and what the operator is told.
struct old_name {
  std::string_view name;
  std::string_view what_now;
};

constexpr old_name old_names[] = {
    {"IceGrid.Registry.Data",
     "is of Ice before 3.7 and has no effect; the database directory is IceGrid.Registry.LMDB.Path"},
    {"IceGrid.Registry.Admin.Endpoints",
     "is of Ice before 3.3 and has no effect; administrative clients use IceGrid.Registry.Client.Endpoints"},
    {"IceGrid.Registry.DefaultEncoding", "is not of Ice 3.7 and has no effect"},
};

bool is_ours(std::string_view name) {
  constexpr std::string_view prefixes[] = {"icegrid.", "muster."};
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view prefix) {
    return name.size() > prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), name.begin(), [](char expected, char given) {
             return expected == static_cast<char>(std::tolower(static_cast<unsigned char>(given)));
           });
  });
}

result<void> check_known(std::string_view name, const property_row& row, std::string_view value,
                         std::vector<std::string>& warnings) {
  if (auto fits = check_value(name, row, value); !fits) return fits;
  if (row.supported == support::refused && value != row.fallback) {
    return fail(errc::unsupported, "{}={}: not supported by this version; allowed is {}. {}", name, value, row.fallback,
                row.otherwise);
  }
  if (row.supported == support::without_effect) {
    warnings.push_back(fmt::format("{}={} has no effect. {}", name, value, row.otherwise));
  }
  return {};
}

result<void> refuse_unknown(std::string_view name) {
  const auto nearest = nearest_property(name);
  return fail(errc::invalid_argument, "{}: no such property{}{}{}", name, nearest ? "; did you mean " : "",
              nearest.value_or(""), nearest ? "?" : "; the known ones are listed in docs/properties.md");
}

/// Every name and value that is ours is looked at here, whether it is used later or not.
result<void> check_names(const property_map& properties, std::vector<std::string>& warnings) {
  std::vector<std::string_view> of_nodes;
  for (const auto& [name, value] : properties) {
    if (value.empty() || !is_ours(name)) continue;
    if (const property_row* row = find_property(name)) {
      if (auto fits = check_known(name, *row, value, warnings); !fits) return fits;
      continue;
    }
    if (name.starts_with("IceGrid.Node.") || name.starts_with("IceGrid.AdminRouter.")) {
      of_nodes.push_back(name);
      continue;
    }
    const auto old = std::find_if(std::begin(old_names), std::end(old_names),
                                  [&name = name](const old_name& one) { return one.name == name; });
    if (old == std::end(old_names)) return refuse_unknown(name);
    warnings.push_back(fmt::format("{} {}", name, old->what_now));
  }
  if (!of_nodes.empty()) {
    warnings.push_back(fmt::format("{}{} has no effect: this program is a registry and no node", of_nodes.front(),
                                   of_nodes.size() == 1 ? "" : fmt::format(" (and {} more)", of_nodes.size() - 1)));
  }
  return {};
}

endpoint_settings read_endpoints(value_reader& from) {
  return {
      .client = from.text("IceGrid.Registry.Client.Endpoints"),
      .server = from.text("IceGrid.Registry.Server.Endpoints"),
      .internal = from.text("IceGrid.Registry.Internal.Endpoints"),
      .session_manager = from.text("IceGrid.Registry.SessionManager.Endpoints"),
      .admin_session_manager = from.text("IceGrid.Registry.AdminSessionManager.Endpoints"),
  };
}

database_settings read_database(value_reader& from) {
  constexpr std::int64_t default_map_mib = 100;
  const std::int64_t map_mib = from.number("IceGrid.Registry.LMDB.MapSize");
  database_settings out;
  out.path = from.text("IceGrid.Registry.LMDB.Path");
  out.map_bytes = static_cast<std::uint64_t>(map_mib > 0 ? map_mib : default_map_mib) * mebibyte;
  out.map_bytes_max = from.count<std::uint64_t>("Muster.Registry.LMDB.MapSizeMax") * mebibyte;
  if (!from.is_set("Muster.Registry.LMDB.MapSizeMax")) out.map_bytes_max = std::max(out.map_bytes_max, out.map_bytes);
  out.map_warn_percent = from.count<unsigned>("Muster.Registry.LMDB.MapWarnPercent");
  return out;
}

session_settings read_sessions(value_reader& from) {
  session_settings out;
  if (const auto timeout = from.seconds("IceGrid.Registry.SessionTimeout"); timeout.count() > 0) {
    out.session_timeout = timeout;
  }
  out.node_session_timeout = from.seconds("IceGrid.Registry.NodeSessionTimeout");
  out.replica_session_timeout = from.seconds("IceGrid.Registry.ReplicaSessionTimeout");
  out.sessions_max = from.count<std::size_t>("Muster.Registry.SessionsMax");
  return out;
}

discovery_settings read_discovery(value_reader& from) {
  discovery_settings out;
  out.enabled = from.boolean("IceGrid.Registry.Discovery.Enabled");
  out.address = from.text("IceGrid.Registry.Discovery.Address");
  if (out.address.empty()) {
    const std::string_view preference = from.raw("Ice.PreferIPv6Address");
    const bool prefers_ipv6 = from.raw("Ice.IPv4") == "0" || (!preference.empty() && preference != "0");
    out.address = prefers_ipv6 ? "ff15::1" : "239.255.0.1";
  }
  out.port = from.count<std::uint16_t>("IceGrid.Registry.Discovery.Port");
  out.interface = from.text("IceGrid.Registry.Discovery.Interface");
  out.endpoints = from.text("IceGrid.Registry.Discovery.Endpoints");
  if (out.endpoints.empty()) {
    out.endpoints = fmt::format("udp -h \"{}\" -p {}", out.address, out.port);
    if (!out.interface.empty()) out.endpoints += fmt::format(" --interface \"{}\"", out.interface);
  }
  return out;
}

trace_settings read_trace(value_reader& from) {
  return {
      .adapter = from.count<int>("IceGrid.Registry.Trace.Adapter"),
      .admin = from.count<int>("IceGrid.Registry.Trace.Admin"),
      .application = from.count<int>("IceGrid.Registry.Trace.Application"),
      .discovery = from.count<int>("IceGrid.Registry.Trace.Discovery"),
      .locator = from.count<int>("IceGrid.Registry.Trace.Locator"),
      .object = from.count<int>("IceGrid.Registry.Trace.Object"),
      .replica = from.count<int>("IceGrid.Registry.Trace.Replica"),
      .server = from.count<int>("IceGrid.Registry.Trace.Server"),
      .session = from.count<int>("IceGrid.Registry.Trace.Session"),
  };
}

/// The plug-in may be loaded under any name; what says that it is it is the name of its factory.
bool loads_discovery_plugin(const property_map& properties) {
  constexpr std::string_view prefix = "Ice.Plugin.";
  for (auto at = properties.lower_bound(prefix); at != properties.end() && at->first.starts_with(prefix); ++at) {
    const auto& [name, value] = *at;
    if (value.empty() || value == "0") continue;
    if (name == "Ice.Plugin.IceLocatorDiscovery" || value.find("IceLocatorDiscovery") != std::string::npos) return true;
  }
  return false;
}

locator_settings read_locator(const property_map& properties, value_reader& from) {
  locator_settings out;
  out.default_locator = from.raw("Ice.Default.Locator");
  out.uses_discovery_plugin = loads_discovery_plugin(properties);
  out.discovery_instance = from.raw("IceLocatorDiscovery.InstanceName");
  if (out.discovery_instance.empty()) out.discovery_instance = from.text("IceGrid.InstanceName");
  return out;
}

replication_settings read_replication(value_reader& from) {
  return {
      .acknowledge_timeout = from.milliseconds("Muster.Registry.ReplicationTimeout"),
      .heartbeat_interval = from.milliseconds("Muster.Registry.HeartbeatInterval"),
      .master_silence_timeout =
          std::min<std::chrono::milliseconds>(from.milliseconds("Muster.Registry.MasterSilenceTimeout"),
                                              from.seconds("IceGrid.Registry.ReplicaSessionTimeout")),
      .discovery_timeout = from.milliseconds("Muster.Registry.DiscoveryTimeout"),
      .active_slaves_min = from.count<std::size_t>("Muster.Registry.MinActiveSlaves"),
      .slaves_max = from.count<std::size_t>("Muster.Registry.SlavesMax"),
      .log_changes_max = from.count<std::uint64_t>("Muster.Registry.Log.MaxChanges"),
      .log_bytes_max = from.count<std::uint64_t>("Muster.Registry.Log.MaxBytes"),
      .snapshot_chunk_bytes = from.count<std::uint64_t>("Muster.Registry.SnapshotChunkBytes"),
      .in_flight_bytes_max = from.count<std::uint64_t>("Muster.Registry.InFlightBytesMax"),
      .batch_changes_max = from.count<std::size_t>("Muster.Registry.BatchMax"),
  };
}

request_settings read_requests(value_reader& from) {
  return {
      .probe_timeout = from.milliseconds("Muster.Registry.ProbeTimeout"),
      .verifier_timeout = from.milliseconds("Muster.Registry.VerifierTimeout"),
      .forward_timeout = from.milliseconds("Muster.Registry.ForwardTimeout"),
      .changes_waiting_max = from.count<std::size_t>("Muster.Registry.ChangesWaitingMax"),
  };
}

std::optional<http_settings> read_http(value_reader& from) {
  const std::string endpoint = from.text("Muster.Registry.Http.Endpoint");
  if (endpoint.empty()) return std::nullopt;
  auto parsed = parse_host_port(endpoint);
  if (!parsed) return std::nullopt;  // the reader holds the failure
  return http_settings{std::move(parsed->host), parsed->port};
}

severity level_named(std::string_view name) {
  for (const severity level : {severity::trace, severity::debug, severity::warning, severity::error}) {
    if (to_string(level) == name) return level;
  }
  return severity::info;
}

log_settings read_log(value_reader& from) {
  const auto is_on = [&](std::string_view name) {
    const std::string_view value = from.raw(name);
    return !value.empty() && value != "0";
  };
  log_settings out;
  out.level = level_named(from.text("Muster.Log.Level"));
  out.file = from.raw("Ice.LogFile");
  if (is_on("Ice.UseSystemdJournal")) {
    out.target = log_target::journal;
  } else if (is_on("Ice.UseSyslog")) {
    out.target = log_target::syslog;
  } else if (!out.file.empty()) {
    out.target = log_target::file;
  }
  out.program = from.raw("Ice.ProgramName");
  if (out.program.empty()) out.program = "muster";
  return out;
}

}  // namespace

result<log_settings> read_log_settings(const property_map& properties) {
  value_reader from{properties};
  auto out = read_log(from);
  if (!from.outcome()) return fail(from.outcome().error());
  return out;
}

result<settings_with_warnings> read_registry_settings(const property_map& properties, const start_options& start) {
  settings_with_warnings out;
  if (auto known = check_names(properties, out.warnings); !known) return fail(known.error());

  value_reader from{properties};
  registry_settings& settings = out.settings;
  settings.instance_name = from.text("IceGrid.InstanceName");
  settings.replica_name = from.text("IceGrid.Registry.ReplicaName");
  settings.endpoints = read_endpoints(from);
  settings.database = read_database(from);
  settings.sessions = read_sessions(from);
  settings.dynamic_registration = from.boolean("IceGrid.Registry.DynamicRegistration");
  settings.discovery = read_discovery(from);
  settings.client_permissions = {from.text("IceGrid.Registry.PermissionsVerifier"),
                                 from.text("IceGrid.Registry.SSLPermissionsVerifier"),
                                 from.text("IceGrid.Registry.CryptPasswords")};
  settings.admin_permissions = {from.text("IceGrid.Registry.AdminPermissionsVerifier"),
                                from.text("IceGrid.Registry.AdminSSLPermissionsVerifier"),
                                from.text("IceGrid.Registry.AdminCryptPasswords")};
  settings.user_accounts = from.text("IceGrid.Registry.UserAccounts");
  settings.require_replica_certificate_name = from.boolean("IceGrid.Registry.RequireReplicaCertCN");
  settings.require_node_certificate_name = from.boolean("IceGrid.Registry.RequireNodeCertCN");
  settings.trace = read_trace(from);
  settings.locator = read_locator(properties, from);
  settings.replication = read_replication(from);
  settings.requests = read_requests(from);
  settings.http = read_http(from);
  settings.log = read_log(from);
  settings.start = start;
  if (auto read = from.outcome(); !read) return fail(read.error());

  if (auto named = complete_instance_name(settings); !named) return fail(named.error());
  if (auto consistent = check_settings(properties, settings); !consistent) return fail(consistent.error());
  warn_of_surprises(properties, settings, out.warnings);
  if (start.warns_of_security) warn_of_openness(properties, settings, out.warnings);
  return out;
}

}  // namespace muster::config

#include "muster/config/registry_settings.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/config/property_table.hpp"

namespace muster::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Reads lines of `name=value`, as they stand in a configuration file.
property_map properties_of(const std::string& text) {
  property_map out;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (const auto equals = line.find('='); equals != std::string::npos) {
      out[line.substr(0, equals)] = line.substr(equals + 1);
    }
  }
  return out;
}

property_map master_with(const std::string& more) {
  property_map out = properties_of(R"(IceGrid.Registry.Client.Endpoints=tcp -h localhost -p 4061
IceGrid.Registry.Server.Endpoints=tcp -h localhost
IceGrid.Registry.Internal.Endpoints=tcp -h localhost
IceGrid.Registry.LMDB.Path=/var/lib/muster
)");
  for (auto& [name, value] : properties_of(more)) out[name] = value;
  return out;
}

property_map slave_with(const std::string& more) {
  return master_with("IceGrid.Registry.ReplicaName=Replica1\n" + more);
}

registry_settings settings_of(const property_map& properties, const start_options& start = {}) {
  auto read = read_registry_settings(properties, start);
  EXPECT_TRUE(read) << read.error().message;
  return read ? read->settings : registry_settings{};
}

std::vector<std::string> warnings_of(const property_map& properties, const start_options& start = {}) {
  auto read = read_registry_settings(properties, start);
  EXPECT_TRUE(read) << read.error().message;
  return read ? read->warnings : std::vector<std::string>{};
}

std::string refusal_of(const property_map& properties, const start_options& start = {}) {
  const auto read = read_registry_settings(properties, start);
  return read ? "not refused" : read.error().message;
}

// The two samples of the chapter "Registry Replication" of Ice's manual, word for word.

TEST(registry_settings, take_the_manuals_sample_of_a_master) {
  const registry_settings settings = settings_of(properties_of(R"(IceGrid.Registry.Client.Endpoints=default -p 12000
IceGrid.Registry.Server.Endpoints=default
IceGrid.Registry.Internal.Endpoints=default
IceGrid.Registry.LMDB.Path=db/master
)"));
  EXPECT_TRUE(settings.is_master());
  EXPECT_EQ(settings.replica_name, "Master");
  EXPECT_EQ(settings.instance_name, "IceGrid");
  EXPECT_EQ(settings.endpoints.client, "default -p 12000");
  EXPECT_EQ(settings.endpoints.server, "default");
  EXPECT_EQ(settings.database.path, "db/master");
}

TEST(registry_settings, take_the_manuals_sample_of_a_slave) {
  const registry_settings settings = settings_of(properties_of(R"(Ice.Default.Locator=IceGrid/Locator:default -p 12000
IceGrid.Registry.Client.Endpoints=default -p 12001
IceGrid.Registry.Server.Endpoints=default
IceGrid.Registry.Internal.Endpoints=default
IceGrid.Registry.LMDB.Path=db/replica1
IceGrid.Registry.ReplicaName=Replica1
)"));
  EXPECT_FALSE(settings.is_master());
  EXPECT_EQ(settings.replica_name, "Replica1");
  EXPECT_EQ(settings.instance_name, "IceGrid");
  EXPECT_EQ(settings.locator.default_locator, "IceGrid/Locator:default -p 12000");
}

TEST(registry_settings, take_those_samples_with_tcp_and_the_registered_port) {
  EXPECT_TRUE(settings_of(properties_of(R"(IceGrid.Registry.Client.Endpoints=tcp -p 4061
IceGrid.Registry.Server.Endpoints=tcp
IceGrid.Registry.Internal.Endpoints=tcp
IceGrid.Registry.LMDB.Path=db/master
)"))
                  .is_master());
  EXPECT_FALSE(settings_of(properties_of(R"(Ice.Default.Locator=IceGrid/Locator:tcp -p 4061
IceGrid.Registry.Client.Endpoints=tcp -p 4062
IceGrid.Registry.Server.Endpoints=tcp
IceGrid.Registry.Internal.Endpoints=tcp
IceGrid.Registry.LMDB.Path=db/slave
IceGrid.Registry.ReplicaName=Slave
)"))
                   .is_master());
}

TEST(registry_settings, fill_in_the_defaults_of_ice) {
  const registry_settings settings = settings_of(master_with(""));
  EXPECT_EQ(settings.database.map_bytes, std::uint64_t{100} * 1024 * 1024);
  EXPECT_EQ(settings.sessions.session_timeout, 30s);
  EXPECT_EQ(settings.sessions.replica_session_timeout, 30s);
  EXPECT_FALSE(settings.dynamic_registration);
  EXPECT_TRUE(settings.discovery.enabled);
  EXPECT_EQ(settings.discovery.endpoints, "udp -h \"239.255.0.1\" -p 4061");
  EXPECT_EQ(settings.replication.acknowledge_timeout, 2s);
  EXPECT_EQ(settings.replication.active_slaves_min, 0U);
  EXPECT_FALSE(settings.http);
}

/// A value that is allowed and not the default.
std::string other_value(const property_row& row) {
  switch (row.kind) {
    case value_kind::boolean: return row.fallback == "0" ? "1" : "0";
    case value_kind::endpoints:
      return row.name.find("Discovery") != std::string_view::npos ? "udp -h 1.2.3.4" : "ssl -p 7";
    case value_kind::proxy: return "Some/Verifier";
    case value_kind::host_port: return "127.0.0.1:7";
    case value_kind::level: return "debug";
    case value_kind::text:
    case value_kind::identity: return "Other";
    case value_kind::path: return "/other";
    default: break;
  }
  const std::int64_t next = std::stoll(std::string{row.fallback}) + 1;
  return std::to_string(next <= row.most ? next : next - 2);
}

TEST(registry_settings, let_every_supported_property_have_an_effect) {
  const property_map base = master_with("Ice.Default.Locator=Other/Locator:tcp -h localhost -p 1");
  const registry_settings before = settings_of(base);
  for (const property_row& row : registry_properties()) {
    if (!row.fallback.empty()) {
      EXPECT_TRUE(check_value(row.name, row, row.fallback)) << row.name;
    }
    if (row.supported != support::supported) continue;
    property_map changed = base;
    changed[std::string{row.name}] = row.name == "IceGrid.InstanceName" ? "Third" : other_value(row);
    EXPECT_FALSE(settings_of(changed) == before) << row.name;
  }
}

// Names.

TEST(registry_settings, refuse_a_misspelt_name_and_tell_the_nearest) {
  EXPECT_EQ(
      refusal_of(master_with("IceGrid.Registry.DynamicRegistraton=1")),
      "IceGrid.Registry.DynamicRegistraton: no such property; did you mean IceGrid.Registry.DynamicRegistration?");
  EXPECT_EQ(refusal_of(master_with("Muster.Registry.Http.EndPoint=9100")),
            "Muster.Registry.Http.EndPoint: no such property; did you mean Muster.Registry.Http.Endpoint?");
  EXPECT_EQ(refusal_of(master_with("icegrid.Registry.ReplicaName=X")),
            "icegrid.Registry.ReplicaName: no such property; did you mean IceGrid.Registry.ReplicaName?");
  EXPECT_EQ(refusal_of(master_with("IceGrid.Registry.Client.Endpoint=tcp")),
            "IceGrid.Registry.Client.Endpoint: no such property; did you mean IceGrid.Registry.Client.Endpoints?");
}

TEST(registry_settings, refuse_a_name_that_nothing_comes_near) {
  EXPECT_EQ(refusal_of(master_with("Muster.Xyz=1")),
            "Muster.Xyz: no such property; the known ones are listed in docs/properties.md");
}

TEST(registry_settings, leave_properties_of_other_subsystems_alone) {
  EXPECT_THAT(warnings_of(master_with("IceSSL.Nonsense=1\nIceMX.Metrics.Debug.GroupBy=id\nApp.Level=high\nIceGridAdmin."
                                      "Username=x\nIce.ThreadPool.Server.Size=4")),
              IsEmpty());
}

TEST(registry_settings, pass_on_what_ice_itself_reads_of_the_registrys_adapters) {
  EXPECT_THAT(warnings_of(master_with("IceGrid.Registry.Client.ThreadPool.Size=2\n"
                                      "IceGrid.Registry.Client.PublishedEndpoints=tcp -h example.org -p 4061\n"
                                      "IceGrid.Registry.Internal.ACM.Timeout=60\n"
                                      "IceGrid.Registry.Server.ProxyOptions=-t\n"
                                      "IceGrid.Registry.Client.Router.Context.user=me\n"
                                      "IceGrid.Registry.PermissionsVerifier.LocatorCacheTimeout=-1")),
              IsEmpty());
  EXPECT_THAT(refusal_of(master_with("IceGrid.Registry.Client.ThreadPool.Size=many")),
              HasSubstr("IceGrid.Registry.Client.ThreadPool.Size=many: allowed is a whole number"));
}

TEST(registry_settings, warn_by_name_of_what_has_no_effect) {
  EXPECT_THAT(warnings_of(master_with("IceGrid.Registry.DefaultTemplates=/usr/share/ice/templates.xml")),
              ElementsAre(HasSubstr("IceGrid.Registry.DefaultTemplates=/usr/share/ice/templates.xml has no effect. ")));
  EXPECT_THAT(warnings_of(master_with("IceGrid.Registry.Client.AdapterId=Mine")),
              ElementsAre(HasSubstr("IceGrid.Registry.Client.AdapterId=Mine has no effect. ")));
  EXPECT_THAT(warnings_of(master_with("IceGrid.Node.Name=n\nIceGrid.Node.Data=d")),
              ElementsAre("IceGrid.Node.Data (and 1 more) has no effect: this program is a registry and no node"));
  EXPECT_THAT(warnings_of(master_with("IceGrid.Registry.Data=/old")),
              ElementsAre(HasSubstr("IceGrid.Registry.LMDB.Path")));
}

TEST(registry_settings, tell_those_who_come_from_an_older_ice_how_the_database_path_is_named_now) {
  property_map properties = master_with("IceGrid.Registry.Data=/old");
  properties.erase("IceGrid.Registry.LMDB.Path");
  EXPECT_THAT(refusal_of(properties), HasSubstr("IceGrid.Registry.LMDB.Path is not set"));
  EXPECT_THAT(refusal_of(properties), HasSubstr("IceGrid.Registry.Data=/old is of Ice before 3.7"));
}

TEST(registry_settings, refuse_a_security_property_that_is_not_supported_yet) {
  EXPECT_THAT(refusal_of(master_with("IceGrid.Registry.SessionFilters=1")),
              HasSubstr("IceGrid.Registry.SessionFilters=1: not supported by this version; allowed is 0."));
  EXPECT_THAT(warnings_of(master_with("IceGrid.Registry.SessionFilters=0")), IsEmpty());
}

TEST(registry_settings, take_an_empty_value_for_none) {
  EXPECT_EQ(settings_of(master_with("IceGrid.Registry.SessionTimeout=")).sessions.session_timeout, 30s);
  EXPECT_THAT(refusal_of(master_with("IceGrid.Registry.LMDB.Path=")),
              HasSubstr("IceGrid.Registry.LMDB.Path is not set"));
}

// Values.

TEST(registry_settings, name_property_value_and_what_is_allowed_in_one_line) {
  EXPECT_EQ(refusal_of(master_with("IceGrid.Registry.ReplicaSessionTimeout=soon")),
            "IceGrid.Registry.ReplicaSessionTimeout=soon: allowed is a whole number of seconds from 1 to 86400");
  EXPECT_EQ(refusal_of(master_with("IceGrid.Registry.DynamicRegistration=yes")),
            "IceGrid.Registry.DynamicRegistration=yes: allowed is 0 (off) or 1 (on)");
  EXPECT_EQ(refusal_of(master_with("Muster.Log.Level=loud")),
            "Muster.Log.Level=loud: allowed is error, warning, info, debug or trace");
  EXPECT_EQ(
      refusal_of(master_with("Muster.Registry.Http.Endpoint=here:http")),
      "Muster.Registry.Http.Endpoint=here:http: the port has to be a number from 0 to 65535; allowed is host:port, "
      "[IPv6 address]:port or a port");
  EXPECT_THAT(refusal_of(master_with("IceGrid.Registry.Client.Endpoints=tpc -p 4061")),
              HasSubstr("IceGrid.Registry.Client.Endpoints=tpc -p 4061: tpc is no transport"));
}

TEST(registry_settings, require_endpoints_and_a_database) {
  for (const char* name : {"IceGrid.Registry.Client.Endpoints", "IceGrid.Registry.Server.Endpoints",
                           "IceGrid.Registry.Internal.Endpoints", "IceGrid.Registry.LMDB.Path"}) {
    property_map properties = master_with("");
    properties.erase(name);
    EXPECT_THAT(refusal_of(properties), HasSubstr(std::string{name} + " is not set")) << name;
  }
}

TEST(registry_settings, let_sessions_last_as_long_as_their_connection_when_the_timeout_is_not_above_zero) {
  EXPECT_FALSE(settings_of(master_with("IceGrid.Registry.SessionTimeout=0")).sessions.session_timeout);
  EXPECT_FALSE(settings_of(master_with("IceGrid.Registry.SessionTimeout=-1")).sessions.session_timeout);
}

TEST(registry_settings, take_a_map_size_that_is_not_above_zero_for_the_default) {
  EXPECT_EQ(settings_of(master_with("IceGrid.Registry.LMDB.MapSize=0")).database.map_bytes, std::uint64_t{100} << 20U);
}

TEST(registry_settings, let_the_map_grow_at_least_to_its_first_size) {
  const auto settings = settings_of(master_with("IceGrid.Registry.LMDB.MapSize=20000"));
  EXPECT_EQ(settings.database.map_bytes_max, std::uint64_t{20000} << 20U);
  EXPECT_THAT(refusal_of(master_with("IceGrid.Registry.LMDB.MapSize=200\nMuster.Registry.LMDB.MapSizeMax=100")),
              HasSubstr("Muster.Registry.LMDB.MapSizeMax=100: allowed is a value not below"));
}

TEST(registry_settings, open_http_on_loopback_unless_told_otherwise) {
  EXPECT_EQ(settings_of(master_with("Muster.Registry.Http.Endpoint=9100")).http->host, "127.0.0.1");
  EXPECT_EQ(settings_of(master_with("Muster.Registry.Http.Endpoint=:9100")).http->host, "127.0.0.1");
  EXPECT_EQ(settings_of(master_with("Muster.Registry.Http.Endpoint=0.0.0.0:9100")).http->host, "0.0.0.0");
  EXPECT_EQ(settings_of(master_with("Muster.Registry.Http.Endpoint=[::1]:9100")).http->host, "::1");
  EXPECT_EQ(settings_of(master_with("Muster.Registry.Http.Endpoint=[::1]:9100")).http->port, 9100);
}

TEST(registry_settings, make_the_discovery_endpoint_of_its_parts) {
  EXPECT_EQ(
      settings_of(master_with("IceGrid.Registry.Discovery.Port=5000\nIceGrid.Registry.Discovery.Interface=127.0.0.1"))
          .discovery.endpoints,
      "udp -h \"239.255.0.1\" -p 5000 --interface \"127.0.0.1\"");
  EXPECT_EQ(settings_of(master_with("Ice.IPv4=0")).discovery.endpoints, "udp -h \"ff15::1\" -p 4061");
  EXPECT_THAT(refusal_of(master_with("IceGrid.Registry.Discovery.Endpoints=tcp -p 1")),
              HasSubstr("udp endpoints only"));
}

// What belongs together.

TEST(registry_settings, refuse_a_slave_that_cannot_find_a_master) {
  const std::string refusal = refusal_of(slave_with(""));
  EXPECT_THAT(refusal, HasSubstr("Ice.Default.Locator is not set: replica Replica1 is a slave"));
  EXPECT_THAT(refusal, HasSubstr("IceLocatorDiscovery"));
  EXPECT_THAT(refusal_of(slave_with("Ice.Default.Locator=IceGrid/Locator")), HasSubstr("it has no endpoints"));
  EXPECT_THAT(refusal_of(slave_with("Ice.Default.Locator=IceGrid/Locator:tpc -p 1")), HasSubstr("tpc is no transport"));
}

TEST(registry_settings, take_a_slave_that_discovers_its_locator) {
  const auto settings =
      settings_of(slave_with("Ice.Plugin.IceLocatorDiscovery=IceLocatorDiscovery:createIceLocatorDiscovery\n"
                             "IceLocatorDiscovery.InstanceName=Shop"));
  EXPECT_TRUE(settings.locator.uses_discovery_plugin);
  EXPECT_EQ(settings.instance_name, "Shop");
  EXPECT_EQ(settings.locator.discovery_instance, "Shop");
  EXPECT_THAT(refusal_of(slave_with("Ice.Plugin.IceLocatorDiscovery=0")), HasSubstr("Ice.Default.Locator is not set"));
}

TEST(registry_settings, take_the_instance_name_from_where_ice_takes_it) {
  const std::string locator = "Ice.Default.Locator=Shop/Locator:tcp -h localhost -p 1\n";
  EXPECT_EQ(settings_of(slave_with(locator)).instance_name, "Shop");
  EXPECT_EQ(settings_of(master_with("IceLocatorDiscovery.InstanceName=A")).instance_name, "A");
  EXPECT_EQ(settings_of(master_with("IceGrid.InstanceName=B\nIceLocatorDiscovery.InstanceName=A")).instance_name, "B");
  EXPECT_THAT(refusal_of(slave_with(locator + "IceGrid.InstanceName=Other")),
              HasSubstr("IceGrid.InstanceName=Other: allowed on a slave is the category of Ice.Default.Locator"));
}

TEST(registry_settings, warn_of_a_slave_that_is_named_almost_like_the_master) {
  EXPECT_THAT(warnings_of(master_with(
                  "IceGrid.Registry.ReplicaName=master\nIce.Default.Locator=IceGrid/Locator:tcp -h localhost -p 1")),
              ElementsAre(HasSubstr("only the one named exactly Master is the master")));
}

TEST(registry_settings, look_at_where_ice_lets_its_own_administration_in) {
  EXPECT_EQ(refusal_of(master_with("Ice.Admin.Endpoints=tcp -p abc")),
            "Ice.Admin.Endpoints=tcp -p abc: -p abc: allowed is a port from 0 (any free one) to 65535; allowed is Ice "
            "endpoints such as tcp -h host -p 4061, several separated by ':'");
  EXPECT_THAT(warnings_of(master_with("Ice.Admin.Endpoints=tcp -h localhost")),
              ElementsAre("Ice.Admin.Endpoints=tcp -h localhost has no effect, because Ice.Admin.InstanceName is not "
                          "set"));
  EXPECT_THAT(warnings_of(master_with("Ice.Admin.Endpoints=tcp -h localhost\nIce.Admin.InstanceName=me")), IsEmpty());
}

TEST(registry_settings, refuse_options_of_a_masters_start_on_a_slave) {
  const property_map slave = slave_with("Ice.Default.Locator=IceGrid/Locator:tcp -h localhost -p 1");
  EXPECT_THAT(refusal_of(slave, {.read_only = true}), HasSubstr("--readonly: replica Replica1 is a slave"));
  EXPECT_THAT(refusal_of(slave, {.force = true}), HasSubstr("--force: replica Replica1 is a slave"));
  EXPECT_THAT(refusal_of(slave, {.initialise_from_replica = "Replica1"}), HasSubstr("the name of another replica"));
  EXPECT_THAT(refusal_of(master_with(""), {.initialise_from_replica = "Replica1"}),
              HasSubstr("Ice.Default.Locator has to be set"));
}

TEST(registry_settings, refuse_heartbeats_too_rare_for_the_sessions_they_keep) {
  EXPECT_THAT(refusal_of(master_with("Muster.Registry.MasterSilenceTimeout=999")),
              HasSubstr("Muster.Registry.HeartbeatInterval=500: allowed is at most half of 999 ms"));
  EXPECT_THAT(
      refusal_of(master_with("Muster.Registry.HeartbeatInterval=600\nIceGrid.Registry.ReplicaSessionTimeout=1")),
      HasSubstr("Muster.Registry.HeartbeatInterval=600: allowed is at most half of 1000 ms"));
}

TEST(registry_settings, say_where_the_log_goes) {
  EXPECT_EQ(settings_of(master_with("")).log.target, log_target::standard_error);
  EXPECT_EQ(settings_of(master_with("Ice.LogFile=/tmp/x.log")).log.target, log_target::file);
  EXPECT_EQ(settings_of(master_with("Ice.UseSyslog=1")).log.target, log_target::syslog);
  EXPECT_EQ(settings_of(master_with("Ice.UseSystemdJournal=1")).log.target, log_target::journal);
}

TEST(registry_settings, tell_a_daemon_where_its_relative_paths_and_its_log_go) {
  const auto warnings = warnings_of(master_with("IceGrid.Registry.LMDB.Path=db/master"),
                                    {.leaves_directory = true, .closes_descriptors = true});
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("so the database is /db/master"), HasSubstr("the log goes nowhere")));
}

// Who gets in.

TEST(registry_settings, warn_of_endpoints_open_to_strangers_unless_told_not_to) {
  const property_map open = master_with(R"(IceGrid.Registry.Client.Endpoints=tcp -p 4061
IceGrid.Registry.Server.Endpoints=tcp
IceGrid.Registry.Internal.Endpoints=tcp
IceGrid.Registry.DynamicRegistration=1
IceGrid.Registry.AdminPermissionsVerifier=IceGrid/NullPermissionsVerifier
Muster.Registry.Http.Endpoint=0.0.0.0:9100
)");
  EXPECT_THAT(warnings_of(open), ElementsAre(HasSubstr("AdminPermissionsVerifier"), HasSubstr("Internal.Endpoints"),
                                             HasSubstr("Server.Endpoints"), HasSubstr("Http.Endpoint")));
  EXPECT_THAT(warnings_of(open, {.warns_of_security = false}), IsEmpty());
}

TEST(registry_settings, do_not_warn_of_endpoints_that_ice_puts_on_loopback) {
  EXPECT_THAT(warnings_of(master_with("IceGrid.Registry.Internal.Endpoints=default\nIce.Default.Host=127.0.0.1")),
              IsEmpty());
  EXPECT_THAT(warnings_of(master_with("IceGrid.Registry.Internal.Endpoints=default\nIce.Default.Protocol=ssl")),
              IsEmpty());
}

RC_GTEST_PROP(registry_settings, never_break_on_odd_names_and_values,
              (const std::string& name, const std::string& value)) {
  property_map properties = master_with("");
  properties["IceGrid.Registry." + name] = value;
  properties["IceGrid.Registry.Client.Endpoints"] = value;
  const auto read = read_registry_settings(properties);
  RC_ASSERT((read.has_value() || !read.error().message.empty()));
}

}  // namespace
}  // namespace muster::config

// The tables themselves; what is done with them is in property_table.cpp.

#include <array>

#include "muster/config/property_table.hpp"

namespace muster::config {
namespace {

using enum value_kind;
using enum support;

constexpr std::int64_t int_max = 2'147'483'647;
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t hour_ms = 3'600'000;
constexpr std::int64_t tebibyte_mib = 1'048'576;

constexpr std::string_view no_nodes = "No node is admitted by this version (one that knocks is refused and logged).";

constexpr auto rows = std::to_array<property_row>({
    // The replica.
    {"IceGrid.InstanceName", identity, "", 0, 0, supported,
     "Category of the identities of all well-known objects. Default: IceLocatorDiscovery.InstanceName, else the "
     "category "
     "of Ice.Default.Locator, else IceGrid. On a slave it has to be that of its locator.",
     ""},
    {"IceGrid.Registry.ReplicaName", identity, "Master", 0, 0, supported,
     "Name of this replica, unique among all; the one named exactly Master is the master.", ""},
    {"IceGrid.Registry.Client.Endpoints", endpoints, "", 0, 0, supported,
     "Required. Where clients, admin tools and locate requests arrive. A slave that has never had data opens them once "
     "it has a copy.",
     ""},
    {"IceGrid.Registry.Server.Endpoints", endpoints, "", 0, 0, supported,
     "Required. Where servers register themselves.", ""},
    {"IceGrid.Registry.Internal.Endpoints", endpoints, "", 0, 0, supported,
     "Required. Where the other replicas arrive.", ""},
    {"IceGrid.Registry.SessionManager.Endpoints", endpoints, "", 0, 0, supported,
     "Where Glacier2 routers ask for client sessions, on the master. Unset: not opened.", ""},
    {"IceGrid.Registry.AdminSessionManager.Endpoints", endpoints, "", 0, 0, supported,
     "Where Glacier2 routers ask for administrative sessions, on every replica. Unset: not opened.", ""},

    // The database.
    {"IceGrid.Registry.LMDB.Path", path, "", 0, 0, supported,
     "Required. Directory of the database; made when its parent exists. A directory of a stock registry is refused, "
     "with "
     "a word on how to import it.",
     ""},
    {"IceGrid.Registry.LMDB.MapSize", mebibytes, "100", -int_max, tebibyte_mib, supported,
     "Size of the LMDB map at the start; 0 or less means the default. It grows by itself.", ""},
    {"Muster.Registry.LMDB.MapSizeMax", mebibytes, "16384", 1, tebibyte_mib, supported,
     "How far the map may grow. A change that does not fit is refused, and the replica goes on serving. Default: "
     "16384, or LMDB.MapSize where that is more.",
     ""},
    {"Muster.Registry.LMDB.MapWarnPercent", percent, "80", 1, 100, supported,
     "Warn in the log when so much of what adding may fill of Muster.Registry.LMDB.MapSizeMax is in use.", ""},

    // Registration and sessions.
    {"IceGrid.Registry.DynamicRegistration", boolean, "0", 0, int_max, supported,
     "Servers that no application describes may register their adapters.", ""},
    {"IceGrid.Registry.SessionTimeout", seconds, "30", -int_max, day_s, supported,
     "A client or administrative session without a keep-alive for so long ends; 0 or less: it ends with its connection "
     "only.",
     ""},
    {"IceGrid.Registry.ReplicaSessionTimeout", seconds, "30", 1, day_s, supported,
     "A slave whose master is silent for so long, or for Muster.Registry.MasterSilenceTimeout where that is shorter, "
     "looks for another; a connection between replicas without a sign of life for so long is closed. A master lets a "
     "silent slave go sooner: when it has not acknowledged for Muster.Registry.ReplicationTimeout, so that no change "
     "waits for longer.",
     ""},
    {"IceGrid.Registry.NodeSessionTimeout", seconds, "30", 1, day_s, without_effect,
     "A node that is silent for so long has lost its session.", no_nodes},
    {"Muster.Registry.SessionsMax", integer, "10000", 1, 1'000'000, supported,
     "Open client and administrative sessions; one more is denied.", ""},

    // Discovery.
    {"IceGrid.Registry.Discovery.Enabled", boolean, "1", 0, int_max, supported,
     "Answer the multicast look-ups of IceLocatorDiscovery.", ""},
    {"IceGrid.Registry.Discovery.Address", text, "", 0, 0, supported,
     "Address of the multicast group. Default: 239.255.0.1, or ff15::1 where Ice.IPv4=0 or Ice.PreferIPv6Address is "
     "above 0.",
     ""},
    {"IceGrid.Registry.Discovery.Port", integer, "4061", 1, 65535, supported, "Multicast port.", ""},
    {"IceGrid.Registry.Discovery.Interface", text, "", 0, 0, supported,
     "Interface that joins the group. Unset: the system chooses.", ""},
    {"IceGrid.Registry.Discovery.Endpoints", endpoints, "", 0, 0, supported,
     "Where look-ups arrive. Default: udp with the address, port and interface above.", ""},

    // Who may do what.
    {"IceGrid.Registry.PermissionsVerifier", proxy, "", 0, 0, supported,
     "Glacier2::PermissionsVerifier that checks user and password for a client session. "
     "<instance>/NullPermissionsVerifier is built in and accepts everybody.",
     ""},
    {"IceGrid.Registry.SSLPermissionsVerifier", proxy, "", 0, 0, supported,
     "Glacier2::SSLPermissionsVerifier that checks a secure connection for a client session. "
     "<instance>/NullSSLPermissionsVerifier is built in and accepts everybody.",
     ""},
    {"IceGrid.Registry.CryptPasswords", path, "", 0, 0, supported,
     "File with a line `user hash` for each user of client sessions (crypt(5) hashes). Not used where "
     "PermissionsVerifier "
     "is set.",
     ""},
    {"IceGrid.Registry.AdminPermissionsVerifier", proxy, "", 0, 0, supported,
     "As PermissionsVerifier, for administrative sessions. Without it and AdminCryptPasswords such sessions are "
     "denied.",
     ""},
    {"IceGrid.Registry.AdminSSLPermissionsVerifier", proxy, "", 0, 0, supported,
     "As SSLPermissionsVerifier, for administrative sessions.", ""},
    {"IceGrid.Registry.AdminCryptPasswords", path, "", 0, 0, supported,
     "As CryptPasswords, for administrative sessions.", ""},
    {"IceGrid.Registry.RequireReplicaCertCN", boolean, "0", 0, int_max, supported,
     "The common name in a replica's certificate has to be its name.", ""},
    {"IceGrid.Registry.RequireNodeCertCN", boolean, "0", 0, int_max, without_effect,
     "The common name in a node's certificate has to be its name.", no_nodes},
    {"IceGrid.Registry.SessionFilters", boolean, "0", 0, int_max, refused,
     "Client sessions through Glacier2 reach only the objects that they allocated.",
     "Refused when on: sessions would reach more than the operator means."},
    {"IceGrid.Registry.AdminSessionFilters", boolean, "0", 0, int_max, refused,
     "Administrative sessions through Glacier2 reach only the registry's administrative objects.",
     "Refused when on: sessions would reach more than the operator means."},
    {"IceGrid.Registry.UserAccounts", path, "", 0, 0, supported,
     "File with a line `account user` for each user whose servers run under an account, which "
     "<instance>/RegistryUserAccountMapper (of a slave: RegistryUserAccountMapper-<replica>) answers from. It is "
     "read at the start.",
     ""},

    // Applications.
    {"IceGrid.Registry.DefaultTemplates", path, "", 0, 0, without_effect,
     "XML file with the default templates that icegridadmin offers.",
     "Templates are not expanded by this version; getDefaultApplicationDescriptor says that there are none."},

    // Replication.
    {"Muster.Registry.ReplicationTimeout", milliseconds, "2000", 1, hour_ms, supported,
     "A slave that does not acknowledge a change for so long is dropped from the active set and catches up later. No "
     "change waits longer for it.",
     ""},
    {"Muster.Registry.HeartbeatInterval", milliseconds, "500", 10, hour_ms, supported,
     "How often master and slave hear of each other when nothing changes.", ""},
    {"Muster.Registry.MasterSilenceTimeout", milliseconds, "3000", 20, hour_ms, supported,
     "A slave that hears nothing of its master for so long, or for ReplicaSessionTimeout where that is shorter, looks "
     "for "
     "another.",
     ""},
    {"Muster.Registry.DiscoveryTimeout", milliseconds, "2000", 1, hour_ms, supported,
     "Bound for asking the other replicas who is master; a starting master waits no longer for answers.", ""},
    {"Muster.Registry.MinActiveSlaves", integer, "0", 0, 100, supported,
     "Changes are refused while fewer slaves are active.", ""},
    {"Muster.Registry.SlavesMax", integer, "64", 1, 1000, supported, "Slaves that may hold a session with this master.",
     ""},
    {"Muster.Registry.Log.MaxChanges", integer, "10000", 1, 100'000'000, supported,
     "Changes kept for the catch-up of slaves; one that missed more gets a snapshot.", ""},
    {"Muster.Registry.Log.MaxBytes", bytes, "4194304", 65536, std::int64_t{1} << 40U, supported,
     "Bytes of those changes.", ""},
    {"Muster.Registry.SnapshotChunkBytes", bytes, "262144", 4096, 16'777'216, supported,
     "Size of the pieces in which a snapshot travels; keep it far below Ice.MessageSizeMax.", ""},
    {"Muster.Registry.InFlightBytesMax", bytes, "67108864", std::int64_t{16} << 20U, std::int64_t{1} << 32U, supported,
     "Bytes handed to the transport for one replica and not yet on their way; a replica that falls further behind "
     "loses "
     "its session and catches up.",
     ""},
    {"Muster.Registry.BatchMax", integer, "1024", 1, 100'000, supported, "Changes in one commit.", ""},

    // Bounds of requests.
    {"Muster.Registry.ProbeTimeout", milliseconds, "5000", 1, hour_ms, supported,
     "addObject asks the object for its type no longer than this.", ""},
    {"Muster.Registry.VerifierTimeout", milliseconds, "10000", 1, hour_ms, supported,
     "A session is denied when its verifier does not answer for so long.", ""},
    {"Muster.Registry.ForwardTimeout", milliseconds, "10000", 1, hour_ms, supported,
     "A slave that hands a registration to the master waits no longer than this.", ""},
    {"Muster.Registry.ChangesWaitingMax", integer, "8192", 1, 10'000'000, supported,
     "Changes taken in and not yet committed; one more is refused at once.", ""},

    // Observation.
    {"Muster.Registry.Http.Endpoint", host_port, "", 0, 0, supported,
     "Where GET /metrics (Prometheus) and GET /health are answered: host:port, or a port alone for 127.0.0.1. Unset: "
     "not "
     "opened.",
     ""},
    {"Muster.Log.Level", level, "info", 0, 0, supported,
     "What is logged: error, warning, info, debug or trace. Where the log goes is said by Ice.LogFile, Ice.UseSyslog "
     "and "
     "Ice.UseSystemdJournal; default is standard error.",
     ""},
    {"IceGrid.Registry.Trace.Adapter", integer, "0", 0, int_max, supported, "Log adapters as they come and go (1).",
     ""},
    {"IceGrid.Registry.Trace.Admin", integer, "0", 0, int_max, supported,
     "Log administrative requests (1). In the manual it is how requests to administrative objects of servers are "
     "routed, which come with nodes.",
     ""},
    {"IceGrid.Registry.Trace.Application", integer, "0", 0, int_max, supported,
     "Log applications added, updated, removed (1).", ""},
    {"IceGrid.Registry.Trace.Discovery", integer, "0", 0, int_max, supported,
     "Log look-ups answered (1) and passed over (2).", ""},
    {"IceGrid.Registry.Trace.Locator", integer, "0", 0, int_max, supported,
     "Log locate requests that failed (1) and registrations (2).", ""},
    {"IceGrid.Registry.Trace.Node", integer, "0", 0, int_max, without_effect, "Log nodes that come and go (1).",
     no_nodes},
    {"IceGrid.Registry.Trace.Object", integer, "0", 0, int_max, supported,
     "Log well-known objects added, updated, removed (1).", ""},
    {"IceGrid.Registry.Trace.Replica", integer, "0", 0, int_max, supported,
     "Log attempts to make the sessions of replicas, and their ends (2), keep-alives and acknowledgements (3). "
     "Replicas that come and go, which is level 1, are always logged.",
     ""},
    {"IceGrid.Registry.Trace.Session", integer, "0", 0, int_max, supported,
     "Log sessions as they are made and end, and denials (1).", ""},
    {"IceGrid.Registry.Trace.Server", integer, "0", 0, int_max, without_effect,
     "Log servers added to and removed from the database.",
     "Servers are stored with their application and not traced one by one."},
    {"IceGrid.Registry.Trace.Patch", integer, "0", 0, int_max, without_effect, "Log the progress of patches.",
     "Servers are not patched by this version."},
    {"IceGrid.Registry.Trace.Topic", integer, "0", 0, int_max, without_effect, "Trace the observers' topics.",
     "There is no IceStorm inside; observers are not notified by this version."},
    {"IceGrid.Registry.Trace.TopicManager", integer, "0", 0, int_max, without_effect, "Trace the observers' topics.",
     "There is no IceStorm inside; observers are not notified by this version."},
    {"IceGrid.Registry.Trace.Subscriber", integer, "0", 0, int_max, without_effect, "Trace the observers' topics.",
     "There is no IceStorm inside; observers are not notified by this version."},
});

constexpr auto adapter_rows = std::to_array<property_row>({
    {"Endpoints", endpoints, "", 0, 0, passed_on, "See the adapter's own row.", ""},
    {"PublishedEndpoints", endpoints, "", 0, 0, passed_on,
     "Endpoints that stand in the proxies of this adapter, where they differ from those it listens on.", ""},
    {"ProxyOptions", text, "", 0, 0, passed_on, "Options of the proxies of this adapter.", ""},
    {"AdapterId", text, "", 0, 0, without_effect, "Id under which an adapter registers.",
     "The registry's own adapters have none, as in stock."},
    {"ReplicaGroupId", text, "", 0, 0, without_effect, "Replica group of an adapter.",
     "The registry's own adapters are in none, as in stock."},
    {"Locator", proxy, "", 0, 0, passed_on, "Locator of this adapter.", ""},
    {"Router", proxy, "", 0, 0, passed_on, "Router of this adapter.", ""},
    {"MessageSizeMax", integer, "", -int_max, int_max, passed_on,
     "Largest message in KB; 0 or less: no limit. Default: Ice.MessageSizeMax; for Internal no limit.", ""},
    {"ACM", integer, "", 0, int_max, passed_on, "Idle seconds after which a connection is closed (old form).", ""},
    {"ACM.Timeout", integer, "", 0, int_max, passed_on,
     "Idle seconds. Default: SessionTimeout for Client, 30 for Server, ReplicaSessionTimeout for Internal.", ""},
    {"ACM.Heartbeat", integer, "", 0, 3, passed_on, "When heartbeats are sent.", ""},
    {"ACM.Close", integer, "", 0, 4, passed_on, "When an idle connection is closed.", ""},
    {"ThreadPool.Size", integer, "", 0, 10'000, passed_on, "Threads that dispatch requests.", ""},
    {"ThreadPool.SizeMax", integer, "", 0, 10'000, passed_on,
     "Threads at most. No request blocks a thread here, so that few are enough.", ""},
    {"ThreadPool.SizeWarn", integer, "", 0, 10'000, passed_on, "Warn at so many busy threads.", ""},
    {"ThreadPool.StackSize", integer, "", 0, int_max, passed_on, "Bytes of stack a thread.", ""},
    {"ThreadPool.Serialize", boolean, "", 0, int_max, passed_on, "Requests of one connection are dispatched in turn.",
     ""},
    {"ThreadPool.ThreadIdleTime", integer, "", 0, int_max, passed_on, "Seconds after which an idle thread ends.", ""},
    {"ThreadPool.ThreadPriority", integer, "", -int_max, int_max, passed_on, "Priority of the threads.", ""},
});

constexpr auto proxy_rows = std::to_array<property_row>({
    {"EndpointSelection", text, "", 0, 0, passed_on, "Random or Ordered.", ""},
    {"ConnectionCached", boolean, "", 0, int_max, passed_on, "The proxy keeps its connection.", ""},
    {"PreferSecure", boolean, "", 0, int_max, passed_on, "Secure endpoints first.", ""},
    {"LocatorCacheTimeout", integer, "", -1, int_max, passed_on, "Seconds that a location is kept.", ""},
    {"InvocationTimeout", integer, "", -2, int_max, passed_on, "Milliseconds that a request may take.", ""},
    {"CollocationOptimized", boolean, "", 0, int_max, passed_on, "Call objects of this process without a connection.",
     ""},
    {"Locator", proxy, "", 0, 0, passed_on, "Locator of this proxy.", ""},
    {"Router", proxy, "", 0, 0, passed_on, "Router of this proxy.", ""},
    {"Context.*", text, "", 0, 0, passed_on, "Entries of the request context.", ""},
});

constexpr auto adapters = std::to_array<std::string_view>({
    "IceGrid.Registry.Client",
    "IceGrid.Registry.Server",
    "IceGrid.Registry.Internal",
    "IceGrid.Registry.SessionManager",
    "IceGrid.Registry.AdminSessionManager",
    "IceGrid.Registry.Discovery",
});

constexpr auto proxies = std::to_array<std::string_view>({
    "IceGrid.Registry.PermissionsVerifier",
    "IceGrid.Registry.SSLPermissionsVerifier",
    "IceGrid.Registry.AdminPermissionsVerifier",
    "IceGrid.Registry.AdminSSLPermissionsVerifier",
});

}  // namespace

std::span<const property_row> registry_properties() { return rows; }
std::span<const property_row> adapter_suffixes() { return adapter_rows; }
std::span<const std::string_view> registry_adapters() { return adapters; }
std::span<const property_row> proxy_suffixes() { return proxy_rows; }
std::span<const std::string_view> registry_proxies() { return proxies; }

}  // namespace muster::config

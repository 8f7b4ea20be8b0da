#include "muster/metrics/registry_metrics.hpp"

#include <iterator>
#include <limits>
#include <utility>

#include <prometheus/text_serializer.h>

namespace muster::metrics {
namespace {

constexpr std::uint64_t microsecond_ns = 1'000;
constexpr std::uint64_t millisecond_ns = 1'000'000;
constexpr std::uint64_t second_ns = 1'000'000'000;

// From a fast SSD's fdatasync (some 50 microseconds) to the bound after which a slave is dropped, and beyond.
std::vector<std::uint64_t> latency_bounds_ns() {
  return {50 * microsecond_ns,  100 * microsecond_ns,  250 * microsecond_ns,  500 * microsecond_ns,
          1 * millisecond_ns,   2500 * microsecond_ns, 5 * millisecond_ns,    10 * millisecond_ns,
          25 * millisecond_ns,  50 * millisecond_ns,   100 * millisecond_ns,  250 * millisecond_ns,
          500 * millisecond_ns, 1 * second_ns,         2500 * millisecond_ns, 5 * second_ns};
}

using labels = std::vector<prometheus::ClientMetric::Label>;

/// Collects the families in the order in which they are shown.
class exposition {
 public:
  void begin(std::string name, std::string help, prometheus::MetricType type) {
    families_.push_back({std::move(name), std::move(help), type, {}});
  }

  void sample(std::uint64_t value, labels with = {}) { add(static_cast<double>(value), std::move(with)); }
  void sample(std::int64_t value, labels with = {}) { add(static_cast<double>(value), std::move(with)); }

  void count(const char* name, const char* help, const counter& from) {
    begin(name, help, prometheus::MetricType::Counter);
    sample(from.value());
  }

  void level(const char* name, const char* help, const gauge& from) {
    begin(name, help, prometheus::MetricType::Gauge);
    sample(from.value());
  }

  /// `units` is how many of the observed unit make one of the shown unit (seconds from nanoseconds: 1e9).
  void distribution(const char* name, const char* help, const histogram& from, double units) {
    begin(name, help, prometheus::MetricType::Histogram);
    const histogram::snapshot now = from.read();
    prometheus::ClientMetric metric;
    for (std::size_t i = 0; i < now.bounds.size(); ++i) {
      metric.histogram.bucket.push_back({now.cumulative[i], static_cast<double>(now.bounds[i]) / units});
    }
    metric.histogram.bucket.push_back({now.cumulative.back(), std::numeric_limits<double>::infinity()});
    metric.histogram.sample_count = now.cumulative.back();
    metric.histogram.sample_sum = static_cast<double>(now.sum) / units;
    families_.back().metric.push_back(std::move(metric));
  }

  [[nodiscard]] std::vector<prometheus::MetricFamily> take() && { return std::move(families_); }

 private:
  void add(double value, labels with) {
    prometheus::ClientMetric metric;
    metric.label = std::move(with);
    (families_.back().type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    families_.back().metric.push_back(std::move(metric));
  }

  std::vector<prometheus::MetricFamily> families_;
};

template <typename Label, typename Visit>
void each(std::size_t count, const Visit& visit) {
  for (std::size_t i = 0; i < count; ++i) visit(static_cast<Label>(i));
}

template <typename Label>
prometheus::ClientMetric::Label named(const char* name, Label value) {
  return {name, std::string{to_string(value)}};
}

void collect_requests(const registry_metrics& from, exposition& out) {
  out.begin("muster_locates_total", "Locate requests answered, by what was asked for and what was known.",
            prometheus::MetricType::Counter);
  each<locate_kind>(from.locates.size(), [&](locate_kind kind) {
    each<locate_outcome>(from.locates[kind].size(), [&](locate_outcome outcome) {
      out.sample(from.locates[kind][outcome].value(), {named("kind", kind), named("outcome", outcome)});
    });
  });

  out.begin("muster_queries_total", "Requests to IceGrid::Query answered, by operation.",
            prometheus::MetricType::Counter);
  each<query_kind>(from.queries.size(),
                   [&](query_kind kind) { out.sample(from.queries[kind].value(), {named("operation", kind)}); });

  out.begin("muster_registrations_total", "Registrations by servers, by what was registered and how it ended.",
            prometheus::MetricType::Counter);
  each<registration_kind>(from.registrations.size(), [&](registration_kind kind) {
    each<registration_outcome>(from.registrations[kind].size(), [&](registration_outcome outcome) {
      out.sample(from.registrations[kind][outcome].value(), {named("kind", kind), named("outcome", outcome)});
    });
  });

  out.begin("muster_sessions", "Open sessions, by kind.", prometheus::MetricType::Gauge);
  each<session_kind>(from.sessions.size(),
                     [&](session_kind kind) { out.sample(from.sessions[kind].value(), {named("kind", kind)}); });
}

void collect_changes(const registry_metrics& from, exposition& out) {
  out.count("muster_changes_committed_total", "Changes made durable by this replica.", from.changes_committed);
  out.begin("muster_changes_refused_total", "Changes refused, by reason.", prometheus::MetricType::Counter);
  each<errc>(from.changes_refused.size(), [&](errc code) {
    out.sample(from.changes_refused[code].value(), {{"reason", std::string{to_string(code)}}});
  });
  out.level("muster_changes_waiting", "Changes taken in and not yet committed.", from.changes_waiting);
  out.distribution("muster_batch_changes", "Changes in one commit.", from.batch_changes, 1.0);
  out.distribution("muster_commit_seconds", "From the start of a commit until it is durable.", from.commit_latency,
                   1e9);
  out.distribution("muster_change_seconds", "From the arrival of a change until its caller is answered.",
                   from.answer_latency, 1e9);
}

void collect_state(const registry_metrics& from, exposition& out) {
  out.level("muster_objects", "Well-known objects in the catalog.", from.objects);
  out.level("muster_adapters", "Adapters in the catalog.", from.adapters);
  out.level("muster_applications", "Applications in the catalog.", from.applications);
  out.level("muster_database_used_bytes", "Bytes of the LMDB map in use.", from.map_used_bytes);
  out.level("muster_database_map_bytes", "Size of the LMDB map now.", from.map_bytes);
  out.level("muster_database_map_limit_bytes", "Size to which the LMDB map may grow.", from.map_limit_bytes);
  out.level("muster_log_entries", "Changes kept for the catch-up of slaves.", from.log_entries);
  out.level("muster_log_bytes", "Bytes of the changes kept for the catch-up of slaves.", from.log_bytes);
}

void collect_replication(const registry_metrics& from, exposition& out) {
  out.begin("muster_replica_role", "1 for the role that this replica has now.", prometheus::MetricType::Gauge);
  each<replica_role>(2, [&](replica_role role) {
    out.sample(std::int64_t{from.role.value() == static_cast<std::int64_t>(role) ? 1 : 0}, {named("role", role)});
  });
  out.level("muster_serving", "1 while this replica answers locate requests.", from.serving);
  out.level("muster_term", "Number of the term that this replica is in.", from.term);
  out.level("muster_serial", "Serial of the last change that this replica has.", from.serial);
  out.level("muster_acknowledged_serial", "Serial up to which changes are known to be acknowledged.",
            from.acknowledged_serial);
  out.level("muster_active_slaves", "Slaves that callers wait for.", from.active_slaves);
  out.begin("muster_slaves_dropped_total", "Slaves dropped from the active set, by reason.",
            prometheus::MetricType::Counter);
  each<drop_reason>(from.slaves_dropped.size(), [&](drop_reason reason) {
    out.sample(from.slaves_dropped[reason].value(), {named("reason", reason)});
  });
  out.count("muster_snapshots_sent_total", "Snapshots sent to slaves.", from.snapshots_sent);
  out.count("muster_snapshots_installed_total", "Snapshots received and installed.", from.snapshots_installed);
  out.count("muster_diverged_tails_saved_total", "Tails of changes nobody acknowledged, saved to a file.",
            from.diverged_tails_saved);
}

}  // namespace

std::string_view to_string(locate_kind kind) noexcept {
  switch (kind) {
    case locate_kind::object: return "object";
    case locate_kind::adapter: return "adapter";
    case locate_kind::replica_group: return "replica_group";
  }
  return "unknown";
}

std::string_view to_string(locate_outcome outcome) noexcept {
  switch (outcome) {
    case locate_outcome::found: return "found";
    case locate_outcome::unavailable: return "unavailable";
    case locate_outcome::unknown: return "unknown";
  }
  return "unknown";
}

std::string_view to_string(query_kind kind) noexcept {
  switch (kind) {
    case query_kind::object_by_id: return "findObjectById";
    case query_kind::object_by_type: return "findObjectByType";
    case query_kind::object_by_type_on_least_loaded_node: return "findObjectByTypeOnLeastLoadedNode";
    case query_kind::all_objects_by_type: return "findAllObjectsByType";
    case query_kind::all_replicas: return "findAllReplicas";
  }
  return "unknown";
}

std::string_view to_string(registration_kind kind) noexcept {
  switch (kind) {
    case registration_kind::adapter: return "adapter";
    case registration_kind::replicated_adapter: return "replicated_adapter";
    case registration_kind::server_process: return "server_process";
  }
  return "unknown";
}

std::string_view to_string(registration_outcome outcome) noexcept {
  switch (outcome) {
    case registration_outcome::registered: return "registered";
    case registration_outcome::unchanged: return "unchanged";
    case registration_outcome::removed: return "removed";
    case registration_outcome::refused: return "refused";
    case registration_outcome::failed: return "failed";
  }
  return "unknown";
}

std::string_view to_string(session_kind kind) noexcept {
  switch (kind) {
    case session_kind::client: return "client";
    case session_kind::admin: return "admin";
    case session_kind::replica: return "replica";
  }
  return "unknown";
}

std::string_view to_string(replica_role role) noexcept {
  switch (role) {
    case replica_role::master: return "master";
    case replica_role::slave: return "slave";
  }
  return "unknown";
}

std::string_view to_string(drop_reason reason) noexcept {
  switch (reason) {
    case drop_reason::disconnected: return "disconnected";
    case drop_reason::timed_out: return "timed_out";
    case drop_reason::other: return "other";
  }
  return "unknown";
}

registry_metrics::registry_metrics()
    : batch_changes{{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}},
      commit_latency{latency_bounds_ns()},
      answer_latency{latency_bounds_ns()} {}

void registry_metrics::set_slave(const std::string& name, std::uint64_t lag_changes, bool active) {
  const std::lock_guard guard{slaves_mutex_};
  slaves_[name] = {lag_changes, active};
}

void registry_metrics::remove_slave(const std::string& name) {
  const std::lock_guard guard{slaves_mutex_};
  slaves_.erase(name);
}

std::vector<prometheus::MetricFamily> registry_metrics::collect(std::string_view version) const {
  exposition out;
  out.begin("muster_build_info", "Always 1; the label names the version that runs.", prometheus::MetricType::Gauge);
  out.sample(std::int64_t{1}, {{"version", std::string{version}}});
  collect_requests(*this, out);
  collect_changes(*this, out);
  collect_state(*this, out);
  collect_replication(*this, out);

  const std::lock_guard guard{slaves_mutex_};
  out.begin("muster_slave_lag_changes", "Changes that a slave with a session does not have yet.",
            prometheus::MetricType::Gauge);
  for (const auto& [name, now] : slaves_) out.sample(now.lag_changes, {{"slave", name}});
  out.begin("muster_slave_active", "1 while callers wait for this slave.", prometheus::MetricType::Gauge);
  for (const auto& [name, now] : slaves_) out.sample(std::int64_t{now.active ? 1 : 0}, {{"slave", name}});
  return std::move(out).take();
}

std::string to_prometheus_text(const registry_metrics& metrics, std::string_view version) {
  return prometheus::TextSerializer{}.Serialize(metrics.collect(version));
}

}  // namespace muster::metrics

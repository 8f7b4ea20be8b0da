#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

#include "muster/base/error.hpp"
#include "muster/metrics/instruments.hpp"

namespace muster::metrics {

enum class locate_kind : std::uint8_t { object, adapter, replica_group };
enum class locate_outcome : std::uint8_t { found, unavailable, unknown };
enum class query_kind : std::uint8_t {
  object_by_id,
  object_by_type,
  object_by_type_on_least_loaded_node,
  all_objects_by_type,
  all_replicas
};
enum class registration_kind : std::uint8_t { adapter, replicated_adapter, server_process };
enum class registration_outcome : std::uint8_t { registered, unchanged, removed, refused, failed };
enum class session_kind : std::uint8_t { client, admin, replica };
enum class replica_role : std::uint8_t { master, slave };
enum class drop_reason : std::uint8_t { disconnected, timed_out, other };

[[nodiscard]] std::string_view to_string(locate_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(locate_outcome outcome) noexcept;
[[nodiscard]] std::string_view to_string(query_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(registration_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(registration_outcome outcome) noexcept;
[[nodiscard]] std::string_view to_string(session_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(replica_role role) noexcept;
[[nodiscard]] std::string_view to_string(drop_reason reason) noexcept;

/// An instrument for each value of an enumeration (or pair of them), reached by index: a caller on the hot path pays
/// for no look-up by label.
template <typename Instrument, typename Label, std::size_t Count>
class by {
 public:
  [[nodiscard]] Instrument& operator[](Label label) noexcept { return all_[static_cast<std::size_t>(label)]; }
  [[nodiscard]] const Instrument& operator[](Label label) const noexcept {
    return all_[static_cast<std::size_t>(label)];
  }
  [[nodiscard]] static constexpr std::size_t size() noexcept { return Count; }

 private:
  std::array<Instrument, Count> all_;
};

/// All figures of a replica, in one place: who counts writes to the member, a scrape reads them all. Every member may
/// be used from any thread. The names that Prometheus sees, with their help texts, are in the source file.
class registry_metrics {
 public:
  registry_metrics();

  // Read paths (dispatch threads): metrics.locates[locate_kind::object][locate_outcome::found].add();
  by<by<counter, locate_outcome, 3>, locate_kind, 3> locates;
  by<counter, query_kind, 5> queries;
  by<by<counter, registration_outcome, 5>, registration_kind, 3> registrations;
  by<gauge, session_kind, 3> sessions;

  // The writer (the strand).
  counter changes_committed;
  histogram batch_changes;   ///< changes in one commit
  histogram commit_latency;  ///< from the start of a commit until it is durable, in nanoseconds
  histogram answer_latency;  ///< from a change's arrival until its caller is answered, in nanoseconds
  by<counter, errc, static_cast<std::size_t>(errc::unsupported) + 1> changes_refused;
  gauge changes_waiting;

  // Storage.
  gauge map_used_bytes;
  gauge map_bytes;
  gauge map_limit_bytes;
  gauge log_entries;
  gauge log_bytes;

  // What is served.
  gauge objects;
  gauge adapters;
  gauge applications;

  // Replication.
  gauge role;  ///< set by set_role
  gauge serving;
  gauge term;
  gauge serial;
  gauge acknowledged_serial;
  gauge active_slaves;
  by<counter, drop_reason, 3> slaves_dropped;
  counter snapshots_sent;
  counter snapshots_installed;
  counter diverged_tails_saved;

  void set_role(replica_role now) noexcept { role.set(static_cast<std::int64_t>(now)); }

  /// A slave that holds a session with this master: how many changes it is behind, and whether callers wait for it.
  void set_slave(const std::string& name, std::uint64_t lag_changes, bool active);
  void remove_slave(const std::string& name);

  /// All that is answered; `version` is that of the program.
  [[nodiscard]] std::vector<prometheus::MetricFamily> collect(std::string_view version) const;

 private:
  struct slave {
    std::uint64_t lag_changes{};
    bool active{};
  };

  // Names come and go, so this one is a map; it is touched once a batch and slave, never by a dispatch thread.
  mutable std::mutex slaves_mutex_;
  std::map<std::string, slave> slaves_;
};

/// The text that `GET /metrics` answers (Prometheus exposition format 0.0.4).
[[nodiscard]] std::string to_prometheus_text(const registry_metrics& metrics, std::string_view version);

inline constexpr std::string_view prometheus_content_type = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace muster::metrics

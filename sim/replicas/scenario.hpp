#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "muster/base/prng.hpp"
#include "muster/replication/options.hpp"
#include "sim/replicas/network.hpp"

namespace muster::sim::replicas {

/// A defect put in on purpose, outside the core, to prove that the checker sees it. See docs/simulation.md.
enum class sabotage : std::uint8_t {
  none,
  answers_before_durable,  ///< a commit is reported done while it can still be lost
  acknowledges_unread,     ///< something between master and slave answers `append` in the slave's place
  forgets_erasures,        ///< the disk keeps rows that were erased
  slave_skips_changes,     ///< a slave's state machine lets a change pass without doing it
  tears_commits,           ///< a crash in the middle of a commit leaves its rows without its meta
  tail_is_not_written,     ///< the file of a diverged tail is reported saved and is not there
  clones_a_master,         ///< a slave is given a copy of the master's disk and started as master
  swallows_heartbeats,     ///< the network never delivers an empty `append`
  loses_completions,       ///< a caller's answer is lost in the driver
};
[[nodiscard]] std::string_view to_string(sabotage what) noexcept;
inline constexpr std::size_t sabotages = 10;

/// How often each kind of trouble is chosen when it is time for one; 0 leaves it out of this seed.
struct trouble_weights {
  std::uint32_t kill{0};       ///< kill -9 or a power cut, and a restart in the same role
  std::uint32_t kill_all{0};   ///< the power of the whole site
  std::uint32_t stop{0};       ///< an orderly end, and a restart
  std::uint32_t pause{0};      ///< SIGSTOP, and SIGCONT
  std::uint32_t partition{0};  ///< two halves, or one machine alone, or one direction only
  std::uint32_t reset_connection{0};
  std::uint32_t promote{0};  ///< a slave restarts as master, the former master comes back
  std::uint32_t disk_full{0};
  std::uint32_t disk_broken{0};
  std::uint32_t disk_slow{0};
  std::uint32_t stage_fails{0};    ///< the next change does not apply on one slave
  std::uint32_t copy_database{0};  ///< restart with initdb_from_replica
  std::uint32_t new_endpoints{0};
  std::uint32_t restore_backup{0};  ///< `muster db restore` of an older copy

  [[nodiscard]] std::uint32_t total() const noexcept {
    return kill + kill_all + stop + pause + partition + reset_connection + promote + disk_full + disk_broken +
           disk_slow + stage_fails + copy_database + new_endpoints + restore_backup;
  }
};

/// How the operator of this seed behaves.
enum class operator_habit : std::uint8_t {
  careful,   ///< promotes only a slave that holds every acknowledged change, with the old master down; never uses
             ///< --force
  reckless,  ///< promotes whom he likes, lets two masters run, forces
};

/// Everything that a seed decides before the run: a random subset of troubles in random strengths (swarm testing:
/// Groce and others, "Swarm Testing", ISSTA 2012), so that rare combinations are not drowned by the usual ones.
struct scenario {
  std::size_t nodes{2};  ///< the first one starts as master
  operator_habit habit{operator_habit::careful};
  trouble_weights troubles;
  duration trouble_interval{std::chrono::seconds{3}};  ///< about
  duration trouble_lasts_max{std::chrono::seconds{6}};

  network::style transport{network::style::datagrams};
  link_quality quality;
  std::uint32_t ends_noticed_percent{100};
  std::size_t frame_bytes_max{262'144};  ///< longer messages travel as several frames
  bool reports_discovery_complete{true};
  bool masters_know_locator{true};

  duration commit_time_max{std::chrono::milliseconds{2}};
  /// True: other input waits while a commit is under way, as on the real strand. False: it goes on.
  bool commit_blocks{true};
  std::int32_t clock_drift_ppm_max{0};

  duration change_interval{std::chrono::milliseconds{100}};  ///< about, between bursts of changes
  std::size_t burst_max{1};
  std::size_t names{20};  ///< how many different objects (and half so many adapters, a quarter applications) there are
  std::uint32_t invalid_percent{5};
  std::uint32_t misdirected_percent{5};  ///< asked of a replica that is no master
  std::uint32_t barrier_percent{5};

  duration safety_lasts{std::chrono::seconds{40}};
  /// Name, role, force and initdb_from_replica are each process's own.
  replication::options core;

  [[nodiscard]] static scenario of_seed(prng& draws, bool is_long);
  [[nodiscard]] std::string describe() const;
};

}  // namespace muster::sim::replicas

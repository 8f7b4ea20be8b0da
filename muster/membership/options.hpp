#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/membership/member.hpp"
#include "muster/membership/messages.hpp"

namespace muster::membership {

/// What the owner says about one process, and the bounds of the protocol. The defaults find a silent member within 3 s.
/// Vocabulary and formulas: SWIM (Das, Gupta, Motivala, DSN 2002) and Lifeguard (Dadgar, Phillips, Currey, DSN 2018).
struct options {
  std::string name;                     ///< unique in the cluster; not empty, name_bytes_max at most
  membership::incarnation incarnation;  ///< `make_incarnation`; not zero
  std::string address;                  ///< how others reach this process; not empty, address_bytes_max at most
  bytes meta;                           ///< shown to all members; meta_bytes_max at most
  std::string cluster;                  ///< a process of another cluster is refused; not empty
  /// Addresses of processes to join. This one's own address may be among them. Empty: a cluster of one, which others
  /// may join.
  std::vector<std::string> seeds;
  /// `rejoin::invited_by`: asked alone at first. The seeds may stand on the side of a split that is about to come back,
  /// too, and whoever joins both sides at once brings one of them news of its removal. Empty: none.
  std::string invited_by;
  /// After a split, the side without the majority of the members known before it gets `ready::must_leave`.
  bool keep_majority{false};

  // Failure detection.
  duration probe_interval{std::chrono::milliseconds{300}};  ///< one member is probed so often
  /// For an answer to a direct probe; the same again for the answers of those asked to probe in our stead.
  duration probe_timeout{std::chrono::milliseconds{300}};
  std::size_t indirect_probes{3};  ///< k: members asked to probe one that did not answer
  /// A suspected member becomes unreachable after suspicion_time * max(1, log10(members)) when enough others suspect it
  /// as well, and after suspicion_max_factor times that when nobody does.
  duration suspicion_time{std::chrono::milliseconds{400}};
  double suspicion_max_factor{2.5};
  std::size_t suspicion_confirmations{3};  ///< others that must agree for the shortest time
  std::size_t awareness_max{8};  ///< a process that doubts its own health waits up to 1 + so many times longer
  duration removal_timeout{std::chrono::seconds{60}};  ///< unreachable for so long: removed
  /// Later than a deadline by so much, a process was stopped: it does not hold that against others.
  duration pause_threshold{std::chrono::seconds{1}};

  // Dissemination.
  duration gossip_interval{std::chrono::milliseconds{100}};  ///< while there is news
  std::size_t gossip_fanout{3};
  std::size_t retransmit_factor{4};                  ///< lambda: news is sent lambda * log10(members + 1) times by each
  duration sync_interval{std::chrono::seconds{10}};  ///< tables are compared with a random member so often
  /// A member that is unreachable or was removed, or a seed that is no member, is tried so often.
  duration heal_interval{std::chrono::seconds{5}};
  /// A removed incarnation is remembered for so long; nobody may spread old news for longer.
  duration removed_horizon{std::chrono::hours{1}};

  // Joining, leaving, splits.
  duration join_retry_min{std::chrono::milliseconds{500}};  ///< between attempts; doubles, with jitter, up to
  duration join_retry_max{std::chrono::seconds{10}};
  duration leave_timeout{std::chrono::seconds{2}};  ///< `leave` waits for others to have heard it for so long at most
  /// With keep_majority: members have been unreachable for so long before it is decided who stays. Shorter than
  /// removal_timeout.
  duration majority_delay{std::chrono::seconds{10}};

  // Bounds in space.
  std::size_t message_bytes_max{1400};                  ///< probes and gossip; 1024 to 65,536
  std::size_t chunk_bytes_max{std::size_t{16} * 1024};  ///< a part of a table; 2048 to 65,536
  std::size_t members_max{20'000};
  std::size_t removed_max{16'384};         ///< removed incarnations that are remembered
  std::size_t former_addresses_max{1024};  ///< of removed members, tried again so that partitions heal
  std::size_t seeds_max{64};

  /// Shared by the participants of a simulation; none: every participant makes its own member objects.
  member_pool* pool{nullptr};
};

/// `invalid_argument` with one sentence that names the option, its value and what is allowed.
[[nodiscard]] result<void> validate(const options& how);

}  // namespace muster::membership

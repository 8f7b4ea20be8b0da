#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"

namespace muster::gossip {

/// Whom news of a node's registrations are taken from.
enum class news_source : std::uint8_t {
  any_member,   ///< members pass on what others have registered, so that a repair needs nobody in particular
  origin_only,  ///< the node itself; what another says of it is no more than a reason to ask it
};

/// The bounds of the gossip of one node. Bounds in space should be equal on all nodes: see docs/protocols/gossip.md for
/// what happens where they are not.
struct options {
  // Bounds in time.
  duration gossip_interval{std::chrono::seconds{1}};  ///< between two comparisons with a random peer
  /// A forgotten incarnation is refused for so long. Must exceed the longest time that a message or a peer's state can
  /// lie about (a stopped process that goes on, a partition that heals).
  duration forgotten_horizon{std::chrono::hours{24}};
  duration want_timeout{std::chrono::milliseconds{500}};  ///< a question that got no answer may be asked again
  duration transfer_timeout{std::chrono::seconds{1}};     ///< a transfer without progress asks again, thrice
  duration frozen_timeout{std::chrono::seconds{10}};      ///< an origin frozen for a transfer is let go when unused

  /// Need not be equal on all nodes. The layer above chooses `origin_only` where it authenticates nodes: there one node
  /// can then say nothing for another.
  news_source taken_from{news_source::any_member};

  // How far and how fast.
  std::size_t push_peers_max{64};  ///< with more Up peers a change travels by infection
  std::size_t push_fan_out{8};     ///< by infection: peers that an origin tells
  std::size_t relay_fan_out{4};    ///< by infection: peers that one who learns something tells, once

  // Bounds in space.
  std::size_t registrations_per_origin_max{1'000'000};
  std::size_t registrations_max{4'000'000};  ///< of all origins together
  std::size_t keys_max{2'000'000};           ///< of all origins together
  std::size_t key_bytes_max{1024};
  std::size_t path_bytes_max{1024};
  std::size_t type_bytes_max{1024};
  std::size_t node_bytes_max{255};
  std::size_t message_bytes_max{std::size_t{64} * 1024};      ///< 8 KiB at least
  std::size_t reply_bytes_max{std::size_t{4} * 1024 * 1024};  ///< of all messages that answer one message
  std::size_t log_operations_max{16'384};                     ///< kept for peers that missed some
  std::size_t log_bytes_max{std::size_t{4} * 1024 * 1024};
  std::size_t transfer_window_chunks{4};  ///< chunks of one transfer on their way
  std::size_t transfers_max{8};           ///< origins that are received in chunks, and frozen for others, at a time
  std::size_t forgotten_max{100'000};     ///< beyond, the oldest is let go before its horizon

  /// `invalid_argument`, naming the option, its value and what is allowed.
  [[nodiscard]] result<void> check() const;
};

}  // namespace muster::gossip

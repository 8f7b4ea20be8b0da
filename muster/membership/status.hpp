#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::membership {

/// What becomes of a member.
enum class event_kind : std::uint8_t {
  up,           ///< a new member
  unreachable,  ///< does not answer
  reachable,    ///< answers again
  left,         ///< is gone of its own will; no `removed` follows
  removed,      ///< is gone for good, or its successor is there
};

[[nodiscard]] std::string_view to_string(event_kind value) noexcept;

enum class phase : std::uint8_t {
  joining,  ///< no seed has answered yet; serves, and others may join it
  joined,
  leaving,
  ended,
};

[[nodiscard]] std::string_view to_string(phase value) noexcept;

/// What has happened since the participant began.
struct counters {
  std::uint64_t messages_received{0};
  std::uint64_t messages_sent{0};
  std::uint64_t bytes_sent{0};
  std::uint64_t malformed{0};       ///< could not be decoded
  std::uint64_t from_strangers{0};  ///< of a kind that only members may send
  std::uint64_t from_removed{0};    ///< by incarnations that were removed; they are told
  std::uint64_t misdirected{0};     ///< meant for another incarnation
  std::uint64_t impersonated{0};    ///< the sender is not who it says
  std::uint64_t other_cluster{0};
  std::uint64_t over_bound{0};  ///< members beyond members_max
  std::uint64_t probes{0};
  std::uint64_t probes_failed{0};
  std::uint64_t suspicions{0};   ///< begun here
  std::uint64_t refutations{0};  ///< of what others said about this process
  std::uint64_t tables_sent{0};  ///< parts of a table
  std::uint64_t pauses{0};       ///< times that this process was stopped
};

/// For metrics and `members`; a copy, cheap enough for every scrape.
struct status {
  membership::phase phase{phase::joining};
  std::size_t up{0};  ///< this one and the suspected ones included
  std::size_t suspected{0};
  std::size_t unreachable{0};
  std::size_t remembered{0};  ///< removed incarnations
  std::size_t pending_news{0};
  std::size_t awareness{0};  ///< 0: healthy
  membership::counters counters;
};

}  // namespace muster::membership

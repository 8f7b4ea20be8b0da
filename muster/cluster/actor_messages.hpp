#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "muster/actor/endpoint.hpp"
#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"

/// What nodes say to each other on behalf of their actors. Bytes and rules: docs/protocols/cluster.md.
namespace muster::cluster {

inline constexpr std::uint8_t actors_version = 1;
inline constexpr std::size_t path_bytes_max = 4096;
inline constexpr std::size_t message_name_bytes_max = 1024;

/// An actor of the node that is spoken to, or of the one that speaks: which, the message says.
struct actor_key {
  std::string path;
  std::uint64_t incarnation{0};

  friend bool operator==(const actor_key&, const actor_key&) = default;
  friend auto operator<=>(const actor_key&, const actor_key&) = default;
};

/// A message for an actor of yours.
struct tell {
  actor_key to;
  std::string name;  ///< of the message
  bytes content;
  friend bool operator==(const tell&, const tell&) = default;
};

enum class fate : std::uint8_t {
  stopped,      ///< nobody lives there under that incarnation
  full,         ///< its mailbox refuses
  unhandled,    ///< it takes no such messages, or this node does not know how to read them
  undecodable,  ///< its content is not what the name says
};

[[nodiscard]] std::string_view to_string(fate value) noexcept;

/// What you told my actor could not be handed over.
struct undelivered {
  actor_key to;
  std::string name;
  fate why{};
  friend bool operator==(const undelivered&, const undelivered&) = default;
};

/// Tell me of the end of an actor of yours. `watching`, `ended` or `watch_refused` confirms.
///
/// The `round` of this and of what follows is given by the side that begins: a later one for each change of what it
/// wants or has to tell, the same when it says it again. The answer repeats it: one to an earlier round, late on its
/// way, confirms nothing.
struct watch {
  actor_key whom;
  std::uint64_t round{0};
  friend bool operator==(const watch&, const watch&) = default;
};
struct watching {
  actor_key whom;
  std::uint64_t round{0};
  friend bool operator==(const watching&, const watching&) = default;
};
/// I watch as many of your actors' watchers as I may.
struct watch_refused {
  actor_key whom;
  std::uint64_t round{0};
  friend bool operator==(const watch_refused&, const watch_refused&) = default;
};
/// No more. `unwatched` confirms.
struct unwatch {
  actor_key whom;
  std::uint64_t round{0};
  friend bool operator==(const unwatch&, const unwatch&) = default;
};
struct unwatched {
  actor_key whom;
  std::uint64_t round{0};
  friend bool operator==(const unwatched&, const unwatched&) = default;
};
/// An actor of mine that you watch is no more. `ended_heard` confirms.
struct ended {
  actor_key whom;
  std::uint64_t round{0};
  friend bool operator==(const ended&, const ended&) = default;
};
struct ended_heard {
  actor_key whom;
  std::uint64_t round{0};
  friend bool operator==(const ended_heard&, const ended_heard&) = default;
};
/// Stop an actor of yours.
struct stop_request {
  actor_key whom;
  stop_when when{};
  friend bool operator==(const stop_request&, const stop_request&) = default;
};

using actor_message = std::variant<tell, undelivered, watch, watching, watch_refused, unwatch, unwatched, ended,
                                   ended_heard, stop_request>;

/// The payload of a frame about actors. `to` is the incarnation of the addressee; `sequence` counts from 1 between two
/// incarnations.
struct actor_envelope {
  std::uint64_t to{0};
  std::uint64_t sequence{0};
  actor_message what;
  friend bool operator==(const actor_envelope&, const actor_envelope&) = default;
};

[[nodiscard]] bytes encode(const actor_envelope& what);
/// `incompatible` for a version or kind that this build does not know, `corrupt` for anything else that `encode` did
/// not write or that is beyond the bounds above.
[[nodiscard]] result<actor_envelope> decode_actor_envelope(byte_view input);
/// An upper bound of what the payload takes beside the content of a `tell`.
[[nodiscard]] std::size_t tell_overhead_bytes_max(std::string_view path, std::string_view name) noexcept;

}  // namespace muster::cluster

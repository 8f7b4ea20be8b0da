#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "muster/base/strong.hpp"
#include "muster/gossip/identity.hpp"

/// What nodes tell each other. Messages are datagrams to the core: they may be lost, doubled and overtaken.
/// Bytes: message_codec.hpp; the rules: docs/protocols/gossip.md.
namespace muster::gossip {

/// A node's fixed place in the order in which digests list nodes: the stable hash of its name.
using place = strong<struct place_tag, std::uint64_t>;

/// Nodes are divided by the top bits of their place into so many buckets.
inline constexpr std::size_t bucket_count = 256;

/// What an origin's registrations are after an operation. The one who applied all operations up to `at` has `count`
/// registrations, and their hashes add up to `checksum`; who does not has lost something.
struct mark {
  version at;
  std::uint64_t count{0};
  std::uint64_t checksum{0};

  friend bool operator==(const mark&, const mark&) = default;
};

struct operation {
  registration what;
  bool removes{false};

  friend bool operator==(const operation&, const operation&) = default;
};

/// News of one origin: operations `base`+1 to `after.at`, or all its registrations at `after.at`.
struct origin_update {
  origin_id origin;
  bool is_whole{false};  ///< the operations are all additions, and replace whatever there was; `base` is 0
  version base;
  std::vector<operation> operations;
  mark after;
  std::uint64_t more{0};  ///< operations after these that the sender has and does not send: ask again

  friend bool operator==(const origin_update&, const origin_update&) = default;
};

/// A change that was just made (eager push), a change passed on, or what somebody lacked.
struct update {
  std::uint8_t hops{0};  ///< who learns something from it passes that on, with one hop less; at 0 it does not
  std::vector<origin_update> parts;
  friend bool operator==(const update&, const update&) = default;
};

/// The periodic comparison: one hash of everything. Whose hash is equal stays silent.
struct root {
  std::uint64_t hash{0};
  friend bool operator==(const root&, const root&) = default;
};

/// The answer to another `root`, where digests of all origins would be large.
struct buckets {
  std::array<std::uint64_t, bucket_count> hashes{};
  friend bool operator==(const buckets&, const buckets&) = default;
};

struct digest_line {
  origin_id origin;
  version at;
  bool is_forgotten{false};  ///< this incarnation and those before are refused; `at` is 0

  friend bool operator==(const digest_line&, const digest_line&) = default;
};

/// All origins that the sender knows something of, among the nodes from place `first` to place `last`, both included.
struct digest {
  place first;
  place last;
  std::vector<digest_line> lines;
  friend bool operator==(const digest&, const digest&) = default;
};

/// Sent to a peer that has just come up: what the sender itself has made.
struct greeting {
  mark own;
  bool asks{false};  ///< greet back
  friend bool operator==(const greeting&, const greeting&) = default;
};

struct wanted {
  origin_id origin;
  version have;  ///< 0: everything

  friend bool operator==(const wanted&, const wanted&) = default;
};

/// Asks for what the receiver has beyond.
struct want {
  std::vector<wanted> lines;
  friend bool operator==(const want&, const want&) = default;
};

/// A piece of all registrations of one origin at one version.
struct chunk {
  origin_id origin;
  mark at;
  std::uint32_t index{0};
  std::uint32_t count{0};  ///< chunks of the whole
  std::vector<registration> content;
  friend bool operator==(const chunk&, const chunk&) = default;
};

/// Asks for some chunks of a transfer that has begun.
struct want_chunks {
  origin_id origin;
  version at;
  std::vector<std::uint32_t> indexes;
  friend bool operator==(const want_chunks&, const want_chunks&) = default;
};

/// The answer to an origin whose incarnation is refused here: it needs a greater one.
struct forgotten {
  origin_id origin;
  friend bool operator==(const forgotten&, const forgotten&) = default;
};

using message = std::variant<update, root, buckets, digest, greeting, want, chunk, want_chunks, forgotten>;

}  // namespace muster::gossip

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/membership/member.hpp"

/// What participants say to each other. Messages are datagrams: they may be lost, doubled and overtaken. Bytes:
/// message_codec.hpp. Strings and blobs are views: into the bytes that were decoded, or into what is to be encoded.
namespace muster::membership {

inline constexpr std::size_t name_bytes_max = 128;
inline constexpr std::size_t address_bytes_max = 256;
inline constexpr std::size_t meta_bytes_max = 256;
inline constexpr std::size_t cluster_bytes_max = 64;
/// A decoded message is no longer than this.
inline constexpr std::size_t any_message_bytes_max = std::size_t{64} * 1024;

/// What is said of one incarnation. For equal refutation counters a later one here wins over an earlier one; of
/// different counters the higher one wins; `left` and `removed` win over all, for good.
enum class standing : std::uint8_t { alive, suspect, unreachable, left, removed };

[[nodiscard]] std::string_view to_string(standing value) noexcept;
[[nodiscard]] constexpr bool is_final(standing value) noexcept { return value >= standing::left; }

/// One claim about one incarnation: the unit of gossip and of the exchange of tables.
struct claim {
  membership::standing standing{};
  std::string_view name;
  membership::incarnation incarnation;
  std::uint32_t counter{0};    ///< SWIM's incarnation number: raised by the member itself to refute; 0 when final
  std::string_view address{};  ///< alive, and all living ones in `records`; else empty: "as you know"
  byte_view meta{};            ///< likewise
  membership::incarnation accuser{};  ///< suspect: who suspects it by its own probes; tells confirmations apart
  std::uint32_t remembered_s{0};      ///< final ones: for how long the sender will remember it

  friend bool operator==(const claim& left, const claim& right) noexcept;
};

/// Who speaks. `to` is the incarnation meant; zero in messages that go to an address. A process never answers for its
/// predecessor.
struct header {
  std::string_view name;
  membership::incarnation incarnation;
  membership::incarnation to;
  friend bool operator==(const header&, const header&) = default;
};

/// The protocol versions that a process speaks, both ends included.
struct version_range {
  std::uint8_t min{1};
  std::uint8_t max{1};
  friend bool operator==(const version_range&, const version_range&) = default;
};

/// The rest of what a stranger needs to become a member.
struct introduction {
  std::string_view cluster;
  version_range versions;
  std::string_view address;
  byte_view meta;
  std::uint32_t counter{0};
  friend bool operator==(const introduction& left, const introduction& right) noexcept;
};

// --- From members only. All of these carry news at their end. ---

/// Are you there? `ack` answers it.
struct ping {
  std::uint64_t sequence{0};
  friend bool operator==(const ping&, const ping&) = default;
};

/// The answer to `ping` and to `hello` (introduce), or passed on by one who was asked.
struct ack {
  std::uint64_t sequence{0};
  friend bool operator==(const ack&, const ack&) = default;
};

/// Probe this member in my stead: `ack` when it answers you, `nack` when it does not.
struct ping_request {
  std::uint64_t sequence{0};
  std::string_view name;
  membership::incarnation incarnation;
  friend bool operator==(const ping_request&, const ping_request&) = default;
};

/// I am well, but the one you asked me to probe does not answer (Lifeguard, section IV-A), or refuses connections.
struct nack {
  std::uint64_t sequence{0};
  bool refused{false};
  friend bool operator==(const nack&, const nack&) = default;
};

/// News alone.
struct gossip {
  friend bool operator==(const gossip&, const gossip&) = default;
};

// --- The closed list of what a stranger may send: joining, comparing tables, "you are removed". ---

enum class hello_purpose : std::uint8_t {
  introduce,  ///< a probe of one who may not know the sender yet: `ack` answers it
  join,       ///< `records` with the whole table answers it
  compare,    ///< `digest` answers it
};

/// Introduces the sender, who becomes a member by it, or is `refused`.
struct hello {
  hello_purpose purpose{};
  std::uint64_t sequence{0};
  introduction who;
  std::uint64_t root{0};  ///< compare: over the sender's whole table
  friend bool operator==(const hello&, const hello&) = default;
};

enum class refusal : std::uint8_t {
  other_cluster,
  no_common_version,
  full,  ///< members_max of the asked one
};

[[nodiscard]] std::string_view to_string(refusal value) noexcept;

/// The negative answer to `hello`.
struct refused {
  std::uint64_t sequence{0};
  refusal reason{};
  introduction who;  ///< of the one who refuses
  friend bool operator==(const refused&, const refused&) = default;
};

/// The answer to `hello` (compare). Without buckets: our tables are equal. A member belongs to the bucket
/// `identity_key % buckets.size()`, the size being a power of two.
struct digest {
  std::uint64_t sequence{0};
  introduction who;
  std::vector<std::uint64_t> buckets;
  friend bool operator==(const digest&, const digest&) = default;
};

inline constexpr std::size_t buckets_max = 128;

/// A part of a table. Each part stands for itself: a lost one is made up for by the next comparison.
struct records {
  std::uint64_t sequence{0};  ///< that of the `hello` or `digest` it answers
  introduction who;
  bool is_last{true};
  /// Send me yours of these buckets, of so many (0: none); `wanted` is a bit set, bucket 0 in the lowest bit.
  std::uint8_t bucket_count{0};
  std::uint64_t wanted_low{0};
  std::uint64_t wanted_high{0};
  std::vector<claim> table;
  friend bool operator==(const records&, const records&) = default;
};

/// You, the incarnation in `header::to`, have been removed (or a later one has taken your place).
struct removed_notice {
  introduction who;
  std::uint64_t side_size{0};         ///< reachable members at the sender, itself included
  std::string_view side_lowest;       ///< the lowest address among them
  bool is_answer{false};              ///< the addressee had said the same to the sender
  membership::incarnation successor;  ///< who has taken your name or address, or zero
  std::string_view successor_name;
  std::string_view successor_address;
  friend bool operator==(const removed_notice&, const removed_notice&) = default;
};

using body = std::variant<ping, ack, ping_request, nack, gossip, hello, refused, digest, records, removed_notice>;

struct message {
  header from;
  body what;
  std::vector<claim> news;  ///< only with what members send
  friend bool operator==(const message&, const message&) = default;
};

/// Whether the closed list contains it.
[[nodiscard]] bool may_come_from_stranger(const body& what) noexcept;

}  // namespace muster::membership

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "muster/gossip/identity.hpp"
#include "muster/gossip/messages.hpp"

/// Hashes that are equal on all nodes, whatever their processor and program version: digests and marks are made of
/// them. They are part of the wire format. Not for secrets.
namespace muster::gossip {

/// The finalizer of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014, figure 16):
/// each bit of the result depends on all bits of the input, and no two inputs give the same.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value ^= value >> 30U;
  value *= 0xbf58476d1ce4e5b9U;
  value ^= value >> 27U;
  value *= 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

[[nodiscard]] std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) noexcept;

[[nodiscard]] std::uint64_t hash_of(std::string_view key, const entry& what) noexcept;

[[nodiscard]] place place_of(const node_id& node) noexcept;

/// What an origin at a version adds to the hash of its bucket and to the root; nothing at version 0.
[[nodiscard]] std::uint64_t digest_of(place where, incarnation life, version at) noexcept;

[[nodiscard]] constexpr std::size_t bucket_of(place where) noexcept {
  static_assert(bucket_count == 256);
  return static_cast<std::size_t>(where.value() >> 56U);
}

/// For hash tables that are asked by text.
struct text_hash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::string_view text) const noexcept { return hash_text(text); }
  std::size_t operator()(const shared_text& text) const noexcept { return hash_text(text.view()); }
  std::size_t operator()(const node_id& node) const noexcept { return hash_text(node.view()); }
};

struct text_equal {
  using is_transparent = void;
  bool operator()(const shared_text& left, const shared_text& right) const noexcept { return left == right; }
  bool operator()(const shared_text& left, std::string_view right) const noexcept { return left.view() == right; }
  bool operator()(std::string_view left, const shared_text& right) const noexcept { return left == right.view(); }
};

}  // namespace muster::gossip

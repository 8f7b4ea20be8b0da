#include "muster/gossip/stable_hash.hpp"

#include <algorithm>

namespace muster::gossip {

namespace {

// Any odd number with about as many ones as zeroes will do; this is the golden ratio's fraction.
constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;

/// Up to 8 characters as a little-endian number.
std::uint64_t word_of(std::string_view text) noexcept {
  std::uint64_t out = 0;
  unsigned shift = 0;
  for (const char character : text) {
    out |= static_cast<std::uint64_t>(static_cast<unsigned char>(character)) << shift;
    shift += 8;
  }
  return out;
}

}  // namespace

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) noexcept {
  std::uint64_t out = mixed(seed + step * (text.size() + 1));
  while (text.size() >= 8) {
    out = mixed(out ^ word_of(text.substr(0, 8))) + step;
    text.remove_prefix(8);
  }
  return text.empty() ? out : mixed(out ^ word_of(text));
}

std::uint64_t hash_of(std::string_view key, const entry& what) noexcept {
  std::uint64_t out = hash_text(key);
  out = hash_text(what.path.view(), out);
  out = mixed(out + step * what.incarnation);
  return hash_text(what.type.view(), out);
}

place place_of(const node_id& node) noexcept { return place{hash_text(node.view())}; }

std::uint64_t digest_of(place where, incarnation life, version at) noexcept {
  if (at == version{0}) {
    return 0;
  }
  return mixed(mixed(where.value() + step * life.value()) + step * at.value());
}

}  // namespace muster::gossip

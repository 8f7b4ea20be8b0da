#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace muster::catalog {

/// Hashes bytes with one wide multiplication for each eight of them. The same bytes give the same hash in every
/// process, so that the order of iteration, and with it a simulation's trace, depends on the content alone. The maps
/// that use it stay correct when hashes collide; they only become slower.
[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed = 0) noexcept {
  constexpr std::uint64_t odd_a = 0x9e3779b97f4a7c15U;
  constexpr std::uint64_t odd_b = 0xd1b54a32d192ed03U;
  const auto fold = [](std::uint64_t left, std::uint64_t right) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(left) * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };

  std::uint64_t hash = seed ^ (odd_a + text.size() * odd_b);
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = fold(hash ^ word, odd_a) ^ odd_b;
  }
  std::uint64_t tail = 0;
  if (left != 0) std::memcpy(&tail, at, left);
  hash = fold(hash ^ tail, odd_b);
  return fold(hash ^ odd_a, odd_a);
}

}  // namespace muster::catalog

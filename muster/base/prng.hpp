#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "muster/base/invariant.hpp"

namespace muster {

/// A seeded generator that gives the same sequence everywhere: xoshiro256** of Blackman and Vigna ("Scrambled linear
/// pseudorandom number generators", 2021), its state filled by splitmix64. It satisfies
/// `std::uniform_random_bit_generator`, but the standard distributions differ between libraries: use the members.
/// Not for secrets.
class prng {
 public:
  using result_type = std::uint64_t;

  explicit prng(std::uint64_t seed) noexcept {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31U);
    }
  }

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

  result_type operator()() noexcept {
    const std::uint64_t out = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return out;
  }

  /// Uniform in [0, bound); `bound` must not be zero. Lemire's multiply-shift (2019, "Fast Random Integer Generation in
  /// an Interval"), with rejection, so that it is exactly uniform.
  std::uint64_t below(std::uint64_t bound) noexcept {
    MUSTER_INVARIANT(bound != 0, "an empty range has no member to pick");
    __extension__ using wide = unsigned __int128;
    wide product = static_cast<wide>((*this)()) * bound;
    auto low = static_cast<std::uint64_t>(product);
    if (low < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (low < threshold) {
        product = static_cast<wide>((*this)()) * bound;
        low = static_cast<std::uint64_t>(product);
      }
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  /// True with probability `numerator / denominator`.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) noexcept { return below(denominator) < numerator; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace muster

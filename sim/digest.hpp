#pragma once

#include <cstdint>
#include <string_view>

#include "muster/base/bytes.hpp"

namespace muster::sim {

/// 64-bit FNV-1a with a final mix (Fowler, Noll, Vo; the mix is that of splitmix64): the same on every machine, unlike
/// std::hash. Good enough to tell two states apart that differ by a defect, and not meant against an adversary.
class digest {
 public:
  void add(std::uint8_t octet) noexcept { value_ = (value_ ^ octet) * 0x100000001b3U; }
  void add(byte_view content) noexcept {
    for (const std::uint8_t octet : content) {
      add(octet);
    }
  }
  void add(std::string_view text) noexcept {
    for (const char c : text) {
      add(static_cast<std::uint8_t>(c));
    }
  }
  void add(std::uint64_t number) noexcept {
    for (int shift = 0; shift < 64; shift += 8) {
      add(static_cast<std::uint8_t>(number >> shift));
    }
  }

  [[nodiscard]] std::uint64_t value() const noexcept {
    std::uint64_t z = value_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t value_{0xcbf29ce484222325U};
};

[[nodiscard]] inline std::uint64_t digest_of(byte_view content) noexcept {
  digest sum;
  sum.add(content);
  return sum.value();
}

/// A row's share of the digest of a whole table set. The digest of a set of rows is the sum of their shares, so it
/// follows each write in constant time and does not depend on the order of the writes.
[[nodiscard]] inline std::uint64_t digest_of_row(std::uint8_t table, std::uint64_t key, byte_view value) noexcept {
  digest sum;
  sum.add(table);
  sum.add(key);
  sum.add(value);
  return sum.value();
}

}  // namespace muster::sim

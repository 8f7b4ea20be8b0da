#include "muster/os/entropy.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <span>

#include "muster/base/invariant.hpp"

namespace muster::os {
namespace {

void fill(std::span<std::uint8_t> out) noexcept {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0) {
      MUSTER_INVARIANT(errno == EINTR, "the kernel has random numbers");
      continue;
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace

std::uint64_t entropy_seed() noexcept {
  std::array<std::uint8_t, 8> octets{};
  fill(octets);
  std::uint64_t seed = 0;
  for (const std::uint8_t octet : octets) {
    seed = (seed << 8U) | octet;
  }
  return seed;
}

uuid random_uuid() noexcept {
  std::array<std::uint8_t, 16> octets{};
  fill(octets);
  // RFC 4122, section 4.4: version in the upper half of octet 6, variant in the upper two bits of octet 8.
  octets[6] = static_cast<std::uint8_t>((octets[6] & 0x0FU) | 0x40U);
  octets[8] = static_cast<std::uint8_t>((octets[8] & 0x3FU) | 0x80U);
  return uuid{octets};
}

}  // namespace muster::os

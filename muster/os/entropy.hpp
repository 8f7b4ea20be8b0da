#pragma once

#include <cstdint>

#include "muster/base/prng.hpp"
#include "muster/base/uuid.hpp"

namespace muster::os {

/// 64 random bits from the kernel (getrandom(2)), to seed a `prng`. Any thread; blocks only before the kernel's pool is
/// ready, early at boot.
[[nodiscard]] std::uint64_t entropy_seed() noexcept;

/// A generator that nobody else has.
[[nodiscard]] inline prng seeded_prng() noexcept { return prng{entropy_seed()}; }

/// A version 4 uuid whose 122 bits all come from the kernel: for database ids and term ids, which must never meet an
/// equal. (One made from a `prng` has no more than the 64 bits of its seed.)
[[nodiscard]] uuid random_uuid() noexcept;

}  // namespace muster::os

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace muster {

using bytes = std::vector<std::uint8_t>;
using byte_view = std::span<const std::uint8_t>;

}  // namespace muster

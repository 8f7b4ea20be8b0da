#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/cluster/transport.hpp"

namespace muster::cluster {

/// The first byte of every frame.
inline constexpr std::uint8_t frame_version = 1;
/// More than everything of a frame but its payload takes.
inline constexpr std::size_t frame_overhead_bytes_max = 1 + 1 + 8 + 2 + 128 + 10;

/// Stands for the cluster's name in frames: who has another one is told apart in constant time.
[[nodiscard]] std::uint64_t cluster_key(std::string_view name) noexcept;

/// What every frame begins with: who speaks, and about what. `about` says how to read the payload; the channel that a
/// frame travels on is the sender's choice and means nothing to the receiver.
struct frame_header {
  channel about{};
  std::uint64_t cluster{0};
  std::string_view name;
  std::uint64_t incarnation{0};
};

struct frame_view {
  frame_header header;
  byte_view payload;  ///< into the frame
};

/// Bytes: version, about, cluster key (8 bytes), name, incarnation (LEB128), payload to the end.
[[nodiscard]] bytes encode_frame(const frame_header& header, byte_view payload);
/// `incompatible` for another version, `corrupt` for anything else that `encode_frame` did not write.
[[nodiscard]] result<frame_view> decode_frame(byte_view frame);

}  // namespace muster::cluster

#pragma once

#include <cstddef>
#include <cstdint>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/gossip/messages.hpp"

namespace muster::gossip {

/// The first byte of every message.
inline constexpr std::uint8_t wire_version = 1;

/// No text on the wire is longer, whatever the options say.
inline constexpr std::size_t wire_text_bytes_max = 65'535;
/// No transfer has more chunks.
inline constexpr std::uint32_t wire_chunks_max = 1U << 20U;

/// The bytes of a message: a version byte, a kind byte (the alternative's index), the fields. Integers are LEB128,
/// hashes 8 bytes little-endian, texts preceded by their size. Within a list of operations a path, type or actor
/// incarnation equal to the one before takes no bytes.
[[nodiscard]] bytes encode(const message& what);

/// Reads any message. `incompatible` for a version or kind that this build does not know, `corrupt` for anything else
/// that `encode` cannot have written. Never allocates more than a small multiple of the input; equal neighbours share
/// their text.
[[nodiscard]] result<message> decode(byte_view input);

/// An upper bound of what this takes in a message.
[[nodiscard]] std::size_t encoded_bytes_max(const registration& what) noexcept;
[[nodiscard]] std::size_t encoded_bytes_max(const origin_id& what) noexcept;

/// An upper bound of what a message of one part takes beside its items and the name of its origin.
inline constexpr std::size_t frame_bytes = 64;

}  // namespace muster::gossip

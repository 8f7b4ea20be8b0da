#pragma once

#include <cstdint>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/messages.hpp"

namespace muster::replication {

/// The session versions that this build knows.
inline constexpr version_range supported_versions{.min = 1, .max = 1};

/// The first byte of a handshake message: their layout belongs to no version and only ever grows at its end.
inline constexpr std::uint8_t handshake_version = 0;

/// The bytes of a message: a version byte (0 for the handshake, else the session's), a kind byte, the fields. The
/// caller passes the version negotiated for the session; the handshake ignores it.
[[nodiscard]] bytes encode(const message& what, std::uint8_t session_version);

/// Reads any message. `incompatible` for a version or kind that this build does not know, `corrupt` for anything else
/// that `encode` did not write. Never allocates more than a small multiple of the input.
[[nodiscard]] result<message> decode(byte_view input);

}  // namespace muster::replication

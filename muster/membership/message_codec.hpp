#pragma once

#include <cstddef>
#include <cstdint>

#include "muster/base/bytes.hpp"
#include "muster/base/codec.hpp"
#include "muster/base/result.hpp"
#include "muster/membership/messages.hpp"

namespace muster::membership {

/// The versions of the members' messages that this build speaks.
inline constexpr version_range supported_versions{.min = 1, .max = 1};

/// The first byte of `hello`, `refused` and `removed_notice`: their layout belongs to no version and only ever grows at
/// its end, so that any two processes can at least refuse each other.
inline constexpr std::uint8_t handshake_version = 0;

/// The bytes of a message: version, kind, header, fields, news. Beyond no bound if the fields are within theirs and the
/// caller has measured news and table by `encoded_bytes`.
[[nodiscard]] bytes encode(const message& what);

/// How many bytes a claim takes in `message::news` or `records::table`.
[[nodiscard]] std::size_t encoded_bytes(const claim& what) noexcept;

/// Reads any message; its views point into `input`. `incompatible` for a version or kind that this build does not
/// know, `corrupt` for anything else that `encode` did not write or that is beyond the bounds of messages.hpp. Never
/// allocates more than a small multiple of the input.
[[nodiscard]] result<message> decode(byte_view input);

}  // namespace muster::membership

#pragma once

#include <cstdint>
#include <span>

#include "muster/base/bytes.hpp"
#include "muster/locator/ice_encoding.hpp"

namespace muster::locator {

/// Writers of whole replies, each at the end of `out`: an encapsulation from its size to its end, as the dispatch of a
/// `BlobjectArrayAsync` hands it on. Proxies come in as they are stored, in 1.1, and must be well formed; they are
/// rewritten only for a caller that speaks 1.0. With a buffer that is used again nothing is allocated.

/// A proxy; the null proxy is two zero bytes.
void append_proxy_reply(encoding version, byte_view proxy, bytes& out);
void append_null_reply(encoding version, bytes& out);
/// A sequence of proxies (`Ice::ObjectProxySeq`).
void append_proxies_reply(encoding version, std::span<const byte_view> proxies, bytes& out);

/// The reply of an operation that returns nothing.
[[nodiscard]] byte_view void_reply(encoding version) noexcept;

/// The exceptions without members that locator and locator registry throw.
enum class locator_exception : std::uint8_t {
  object_not_found,
  adapter_not_found,
  adapter_already_active,
  invalid_replica_group_id,
  server_not_found,
};

/// The reply that carries such an exception (to be sent as a user exception); it lives for ever.
[[nodiscard]] byte_view exception_reply(encoding version, locator_exception which) noexcept;

}  // namespace muster::locator

#pragma once

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/locator/ice_encoding.hpp"

namespace muster::locator {

/// Reads one proxy, encoded in version `from`, off `in` and appends it to `out`, encoded in version `to`.
///
/// A proxy in 1.0 has no protocol and encoding version (they are 1.0 then), and the encapsulation of each endpoint
/// carries the version of the whole. The endpoints of tcp, ssl, ws, wss and udp are rewritten; what is inside another
/// type is not ours to know, so it is kept as it is, which is what the Ice runtime does with a type that it does not
/// know. A null proxy stays null.
///
/// `corrupt` if the bytes are no proxy; `out` is then as long as it was.
[[nodiscard]] result<void> transcode_proxy(ice_reader& in, encoding from, encoding to, bytes& out);

}  // namespace muster::locator

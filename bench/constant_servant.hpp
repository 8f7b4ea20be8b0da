#pragma once

#include <cstdint>

namespace muster::bench {

/// The limit for a locate request: a servant of the same runtime, with the thread pool that muster gives its client
/// endpoint, that answers every request with the same bytes: a proxy such as the registries answer. Serves as the
/// object `Bench/Locator` on the port until it is killed.
[[nodiscard]] int serve_constant(std::uint16_t port);

}  // namespace muster::bench

#pragma once

#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "muster/base/error.hpp"

namespace muster {

/// A value, or why there is none.
template <typename T>
using result = tl::expected<T, error>;

/// Makes the error side of a `result` from a code and a formatted sentence.
template <typename... Args>
[[nodiscard]] tl::unexpected<error> fail(errc code, fmt::format_string<Args...> sentence, Args&&... args) {
  return tl::unexpected<error>{error{code, fmt::format(sentence, std::forward<Args>(args)...)}};
}

/// Hands an error on unchanged.
[[nodiscard]] inline tl::unexpected<error> fail(error cause) { return tl::unexpected<error>{std::move(cause)}; }

}  // namespace muster

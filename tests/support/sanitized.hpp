#pragma once

namespace muster::tests {

/// Whether a sanitizer looks on. It makes everything many times slower, and finds in a few runs of a random test what
/// it would find in all of them: such a test makes fewer then. How often properties are tried is said in
/// cmake/testing.cmake.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace muster::tests

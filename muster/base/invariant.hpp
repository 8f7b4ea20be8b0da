#pragma once

#include <string_view>

namespace muster {

/// Prints where and what to standard error and aborts, in release builds too: a process that no longer knows what is
/// true must not go on writing.
[[noreturn]] void invariant_broken(const char* expression, const char* file, int line, std::string_view why) noexcept;

}  // namespace muster

/// States what always holds here. `why` is a sentence for whoever reads the core dump.
#define MUSTER_INVARIANT(expression, why) \
  ((expression) ? static_cast<void>(0) : ::muster::invariant_broken(#expression, __FILE__, __LINE__, (why)))

#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace muster::bench {

/// Calls `one(n)` for each n below `count`, in turns of alternating order: what is measured first is now one, now the
/// other, and drift of the machine meets all alike.
void interleaved(int pairs, std::size_t count, const std::function<void(std::size_t)>& one);

/// A line to standard error: what is being done.
void say(const std::string& what);

}  // namespace muster::bench

#pragma once

#include <unistd.h>

#include <chrono>

namespace muster::tests {

/// Asks again and again until it holds, for so long at most: for what real threads and processes do without telling.
/// The bound is generous, and only a failure takes it.
template <typename Condition>
[[nodiscard]] bool eventually(const Condition& holds, std::chrono::milliseconds bound = std::chrono::seconds{30}) {
  using clock = std::chrono::steady_clock;
  for (const auto end = clock::now() + bound; clock::now() < end;) {
    if (holds()) return true;
    ::usleep(500);  // tidy: allow, because nobody tells of what is waited for: the condition decides
  }
  return holds();
}

}  // namespace muster::tests

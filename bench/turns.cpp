#include "bench/turns.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace muster::bench {

void interleaved(int pairs, std::size_t count, const std::function<void(std::size_t)>& one) {
  for (int pair = 0; pair < pairs; ++pair) {
    for (std::size_t n = 0; n < count; ++n) one(pair % 2 == 0 ? n : count - 1 - n);
  }
}

void say(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::fflush(stderr);
}

}  // namespace muster::bench

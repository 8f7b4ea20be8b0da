#include "muster/base/invariant.hpp"

#include <cstdio>
#include <cstdlib>

namespace muster {

void invariant_broken(const char* expression, const char* file, int line, std::string_view why) noexcept {
  // tidy: allow, because the process ends here and nobody is left who could be given an error.
  std::fprintf(stderr, "invariant broken at %s:%d: %s (%.*s)\n", file, line, expression, static_cast<int>(why.size()),
               why.data());
  std::abort();
}

}  // namespace muster

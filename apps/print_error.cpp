#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "apps/verbs.hpp"

namespace muster::apps {

void print_error(std::string_view program, std::string_view sentence) {
  std::string line{sentence};
  // What is quoted in it may have line feeds of its own.
  std::ranges::replace(line, '\n', ' ');
  fmt::print(stderr, "{}: error: {}\n", program, line);
}

}  // namespace muster::apps

#include <cstdio>

#include <fmt/format.h>

#include "apps/verbs.hpp"

namespace muster::apps {

void print_error(std::string_view program, std::string_view sentence) {
  fmt::print(stderr, "{}: error: {}\n", program, sentence);
}

}  // namespace muster::apps

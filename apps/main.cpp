#include <cstdio>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "apps/verbs.hpp"

namespace muster::apps {

static int run(const config::show_text& what) {
  fmt::print("{}", what.text);
  return 0;
}

static int run(const config::show_version&) {
  fmt::print("muster {}\n", MUSTER_VERSION);
  return 0;
}

static int run(const config::run_registry& what) { return run_registry("muster registry", what.arguments); }

static int run_program(const std::string& called_as, const std::vector<std::string>& given) {
  // A link of this name stands in for the stock program.
  if (called_as == "icegridregistry") return run_registry(called_as, given);
  const auto what = config::parse_command_line(given);
  if (!what) {
    print_error("muster", what.error().message);
    return 2;
  }
  return std::visit([](const auto& one) { return run(one); }, *what);
}

}  // namespace muster::apps

int main(int argc, char** argv) {
  const auto called_as = std::filesystem::path{argc > 0 ? argv[0] : "muster"}.filename().string();
  return muster::apps::run_program(called_as, {argv + (argc > 0 ? 1 : 0), argv + argc});
}

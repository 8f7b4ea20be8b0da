#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/measurement.hpp"

namespace muster::bench {

struct command_line {
  run_settings run;
  std::vector<std::string> only;
  bool large = false;
  bool lists = false;
  std::filesystem::path json;
  std::filesystem::path directory;
  std::optional<std::uint16_t> constant_servant;
};

/// Reads the arguments; an exit code where the program is to end at once (help, or an argument that is wrong).
[[nodiscard]] std::optional<int> read_command_line(int argc, char** argv, command_line& into);

}  // namespace muster::bench

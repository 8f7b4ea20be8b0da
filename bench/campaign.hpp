#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.hpp"

namespace muster::bench {

/// A measurement, ready to be made: it adds its rows to those of the campaign.
struct task {
  std::string_view name;
  std::string_view text;
  std::function<void()> run;
};

/// What a program measures in one run.
struct campaign {
  std::string program;      ///< as it speaks of itself
  std::string command;      ///< and how it was called
  std::string file_name{};  ///< the figures are in build/bench/<file_name>TIME.json unless `json` names a file
  std::filesystem::path json{};
  int pairs{0};
  side_names names{};
  std::vector<task> tasks{};
};

/// Makes the measurements one after the other, telling of each, and prints and writes all rows. One that fails is told,
/// and the others are made. The exit status of the program.
[[nodiscard]] int measure(const campaign& what, const std::vector<row>& rows);

}  // namespace muster::bench

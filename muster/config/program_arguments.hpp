#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "muster/base/result.hpp"

/// What the command lines of the programs that run for long have in common: options beside properties. Inside the
/// folder only.
namespace muster::config {

/// Options go to `app`; the properties among the arguments are given back, in their order. `invalid_argument` names the
/// argument and says what is allowed; `otherwise` does so for one that is neither option nor property.
[[nodiscard]] result<std::vector<std::pair<std::string, std::string>>> parse_arguments(
    CLI::App& app, std::string_view program, std::span<const std::string> arguments, std::string_view otherwise);

/// The options in a table, then `footer`, in which `{program}` stands for the program.
[[nodiscard]] std::string help_text(CLI::App& app, std::string_view program, std::size_t column_width,
                                    std::string footer);

}  // namespace muster::config

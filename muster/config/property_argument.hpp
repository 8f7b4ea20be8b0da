#pragma once

#include <optional>
#include <string>
#include <utility>

namespace muster::config {

/// `--Name=Value` with a dot in the name is a property, and `--Name` alone means 1, as in Ice; none of our own options
/// has a dot in its name.
[[nodiscard]] inline std::optional<std::pair<std::string, std::string>> as_property(const std::string& argument) {
  if (!argument.starts_with("--")) return std::nullopt;
  const std::size_t equals = argument.find('=');
  std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
  if (name.find('.') == std::string::npos) return std::nullopt;
  return std::pair{std::move(name), equals == std::string::npos ? std::string{"1"} : argument.substr(equals + 1)};
}

}  // namespace muster::config

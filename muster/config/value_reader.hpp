#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"
#include "muster/config/property_table.hpp"

namespace muster::config {

/// Reads values by name, with the default and bounds of the property's row. After the first value that does not fit the
/// reader stays failed and gives defaults, so that a caller may read everything and ask once. A name without a row is
/// an error of this program.
class value_reader {
 public:
  explicit value_reader(const property_map& properties) : properties_{properties} {}

  [[nodiscard]] std::string text(std::string_view name);
  [[nodiscard]] bool boolean(std::string_view name) { return number(name) > 0; }
  [[nodiscard]] std::int64_t number(std::string_view name);
  template <typename Unsigned>
  [[nodiscard]] Unsigned count(std::string_view name) {
    return static_cast<Unsigned>(number(name));
  }
  [[nodiscard]] std::chrono::seconds seconds(std::string_view name) { return std::chrono::seconds{number(name)}; }
  [[nodiscard]] std::chrono::milliseconds milliseconds(std::string_view name) {
    return std::chrono::milliseconds{number(name)};
  }

  [[nodiscard]] bool is_set(std::string_view name) const { return !raw(name).empty(); }
  /// A property of another subsystem, as it stands; empty when it is not set.
  [[nodiscard]] std::string_view raw(std::string_view name) const;

  [[nodiscard]] result<void> outcome() const;
  /// The names asked for so far.
  [[nodiscard]] const std::set<std::string, std::less<>>& asked() const { return asked_; }

 private:
  const property_map& properties_;
  std::set<std::string, std::less<>> asked_;
  result<void> outcome_;
};

}  // namespace muster::config

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::cluster {

/// Reads the properties below `cluster.` into settings that have their defaults, and keeps the first objection. Inside
/// the folder only.
class property_reader {
 public:
  explicit property_reader(const config::property_map& all) : all_{all} {}

  /// Each leaves the setting as it is where the property is not set.
  void text(std::string_view leaf, std::string& setting);
  void time(std::string_view leaf, duration& setting, duration least = std::chrono::milliseconds{1},
            std::chrono::hours most = std::chrono::hours{24});
  void flag(std::string_view leaf, bool& setting);
  void flag(std::string_view leaf, std::optional<bool>& setting);
  /// `allowed` says what lies between the two, for people.
  void bytes(std::string_view leaf, std::size_t& setting, std::size_t least, std::size_t most,
             std::string_view allowed);

  /// A property that nobody has asked for is a slip of the pen, which must not pass for a setting. Those of the
  /// receptionist are its own to check.
  void refuse_unknown();
  [[nodiscard]] const result<void>& outcome() const noexcept { return outcome_; }

 private:
  [[nodiscard]] const std::string* find(std::string_view leaf);
  void object(std::string_view name, std::string_view value, std::string_view allowed);

  const config::property_map& all_;
  std::set<std::string, std::less<>> asked_;
  result<void> outcome_;
};

}  // namespace muster::cluster

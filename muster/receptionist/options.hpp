#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"

namespace muster::receptionist {

/// Options as they hold: validated, with nothing left open.
struct settings {
  std::size_t max_subscribers_per_key{1'000};
  std::size_t max_subscribers_total{10'000};  ///< pairs of a key and a subscriber
  duration gossip_interval{std::chrono::seconds{1}};
  /// Actors that are registered are watched as if each registration had `while_alive()`.
  bool watch_registered{false};
};

/// Properties by name. An empty value means the same as no value.
using property_map = std::map<std::string, std::string, std::less<>>;

/// What a receptionist is told at its start. What is set here beats what configuration says, which beats the default:
///
///     receptionist::start(system, nullptr,
///     receptionist::options{}.max_subscribers_per_key(50).watch_registered(true));
///
/// The properties are `cluster.receptionist.max-subscribers-per-key`, `.max-subscribers-total` (1 to 1,000,000,000),
/// `.gossip-interval` (a duration such as `500ms` or `1s`; a number alone is in milliseconds; 1 ms to 1 h,
/// and no more than a twelfth of the node's `cluster.removed-horizon`) and `.watch-registered` (true or false).
class options {
 public:
  options& max_subscribers_per_key(std::int64_t value) { return per_key_ = value, *this; }
  options& max_subscribers_total(std::int64_t value) { return total_ = value, *this; }
  options& gossip_interval(duration value) { return interval_ = value, *this; }
  options& watch_registered(bool value) { return watch_ = value, *this; }
  /// Properties of the whole process, as configuration files and command line gave them. Those below
  /// `cluster.receptionist.` are looked at.
  options& configuration(property_map properties) { return properties_ = std::move(properties), *this; }

  /// With this gossip interval where none is said. `invalid_argument`: one sentence that names what is wrong, its value
  /// and what is allowed.
  [[nodiscard]] result<settings> resolve(duration gossip_interval = settings{}.gossip_interval) const;

 private:
  std::optional<std::int64_t> per_key_;
  std::optional<std::int64_t> total_;
  std::optional<duration> interval_;
  std::optional<bool> watch_;
  property_map properties_;
};

}  // namespace muster::receptionist

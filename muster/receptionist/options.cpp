#include "muster/receptionist/options.hpp"

#include <charconv>
#include <string_view>
#include <utility>

#include "muster/base/duration_text.hpp"

namespace muster::receptionist {

namespace {

constexpr std::string_view prefix = "cluster.receptionist.";
constexpr std::int64_t subscribers_most = 1'000'000'000;
constexpr std::int64_t interval_least_ms = 1;
constexpr std::int64_t interval_most_ms = std::int64_t{60} * 60 * 1000;

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

std::optional<bool> boolean_of(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return std::nullopt;
}

/// Reads properties, and keeps the first objection.
class reader {
 public:
  explicit reader(const property_map& all) : all_{all} {}

  [[nodiscard]] std::size_t count(std::string_view leaf, std::optional<std::int64_t> given, std::size_t fallback) {
    const auto [name, text] = find(leaf);
    std::optional<std::int64_t> value = given;
    std::string shown = given ? std::to_string(*given) : text;
    if (!given && text.empty()) return fallback;
    if (!given) value = integer_of(text);
    if (value && *value >= 1 && *value <= subscribers_most) return static_cast<std::size_t>(*value);
    object(name, shown, fmt::format("a number from 1 to {}", subscribers_most));
    return fallback;
  }

  [[nodiscard]] duration interval(std::string_view leaf, std::optional<duration> given, duration fallback) {
    const auto [name, text] = find(leaf);
    if (!given && text.empty()) return fallback;
    const std::optional<duration> value = given ? given : parse_duration(text);
    if (value && *value >= std::chrono::milliseconds{interval_least_ms} &&
        *value <= std::chrono::milliseconds{interval_most_ms}) {
      return *value;
    }
    object(name, given ? fmt::format("{}ns", given->count()) : text, "a duration from 1ms to 1h");
    return fallback;
  }

  [[nodiscard]] bool flag(std::string_view leaf, std::optional<bool> given, bool fallback) {
    const auto [name, text] = find(leaf);
    if (given) return *given;
    if (text.empty()) return fallback;
    if (const auto value = boolean_of(text)) return *value;
    object(name, text, "true or false");
    return fallback;
  }

  /// A property that nobody reads is a slip of the pen, which must not pass for a setting.
  void refuse_unknown() {
    for (auto one = all_.lower_bound(prefix); one != all_.end() && one->first.starts_with(prefix); ++one) {
      if (known_.contains(one->first) || one->second.empty()) continue;
      object(one->first, one->second,
             "only max-subscribers-per-key, max-subscribers-total, gossip-interval and watch-registered below "
             "cluster.receptionist");
    }
  }

  [[nodiscard]] const result<void>& outcome() const noexcept { return outcome_; }

 private:
  std::pair<std::string, std::string> find(std::string_view leaf) {
    std::string name = fmt::format("{}{}", prefix, leaf);
    const auto found = all_.find(name);
    known_.emplace(name, "");
    return {std::move(name), found == all_.end() ? std::string{} : found->second};
  }
  void object(std::string_view name, std::string_view value, std::string_view allowed) {
    if (outcome_) outcome_ = fail(errc::invalid_argument, "{} is '{}'; allowed is {}", name, value, allowed);
  }

  const property_map& all_;
  property_map known_;
  result<void> outcome_;
};

}  // namespace

result<settings> options::resolve(duration gossip_interval) const {
  reader from{properties_};
  settings out;
  out.gossip_interval = gossip_interval;
  out.max_subscribers_per_key = from.count("max-subscribers-per-key", per_key_, out.max_subscribers_per_key);
  out.max_subscribers_total = from.count("max-subscribers-total", total_, out.max_subscribers_total);
  out.gossip_interval = from.interval("gossip-interval", interval_, out.gossip_interval);
  out.watch_registered = from.flag("watch-registered", watch_, out.watch_registered);
  from.refuse_unknown();
  if (!from.outcome()) return fail(from.outcome().error());
  return out;
}

}  // namespace muster::receptionist

#include "muster/runtime/property_reader.hpp"

#include <charconv>

#include <fmt/format.h>

#include "muster/base/duration_text.hpp"

namespace muster::cluster {
namespace {

constexpr std::string_view prefix = "cluster.";
constexpr std::string_view receptionist_prefix = "cluster.receptionist.";

}  // namespace

void property_reader::text(std::string_view leaf, std::string& setting) {
  if (const auto* value = find(leaf)) setting = *value;
}

void property_reader::time(std::string_view leaf, duration& setting, duration least, std::chrono::hours most) {
  const auto* value = find(leaf);
  if (value == nullptr) return;
  const auto read = parse_duration(*value);
  if (read && *read >= least && *read <= most) {
    setting = *read;
  } else {
    object(fmt::format("{}{}", prefix, leaf), *value,
           fmt::format("a duration from {} to {}h, such as 500ms or 3s", to_duration_text(least), most.count()));
  }
}

void property_reader::flag(std::string_view leaf, bool& setting) {
  const auto* value = find(leaf);
  if (value == nullptr) return;
  if (*value == "true" || *value == "yes" || *value == "on" || *value == "1") {
    setting = true;
  } else if (*value == "false" || *value == "no" || *value == "off" || *value == "0") {
    setting = false;
  } else {
    object(fmt::format("{}{}", prefix, leaf), *value, "true or false");
  }
}

void property_reader::flag(std::string_view leaf, std::optional<bool>& setting) {
  if (find(leaf) != nullptr) flag(leaf, setting.emplace());
}

void property_reader::bytes(std::string_view leaf, std::size_t& setting, std::size_t least, std::size_t most,
                            std::string_view allowed) {
  const auto* value = find(leaf);
  if (value == nullptr) return;
  std::size_t read = 0;
  const auto* const end = value->data() + value->size();
  const auto [at, failed] = std::from_chars(value->data(), end, read);
  if (failed == std::errc{} && at == end && read >= least && read <= most) {
    setting = read;
  } else {
    object(fmt::format("{}{}", prefix, leaf), *value, allowed);
  }
}

void property_reader::refuse_unknown() {
  for (auto one = all_.lower_bound(prefix); one != all_.end() && one->first.starts_with(prefix); ++one) {
    if (one->second.empty() || one->first.starts_with(receptionist_prefix) || asked_.contains(one->first)) continue;
    std::string known;
    for (const auto& name : asked_) known += fmt::format("{}{}", known.empty() ? "" : ", ", name.substr(prefix.size()));
    object(one->first, one->second, fmt::format("below cluster. only receptionist. and {}", known));
  }
}

const std::string* property_reader::find(std::string_view leaf) {
  auto name = fmt::format("{}{}", prefix, leaf);
  const auto found = all_.find(name);
  asked_.insert(std::move(name));
  // As in Ice, an empty value is none.
  return found == all_.end() || found->second.empty() ? nullptr : &found->second;
}

void property_reader::object(std::string_view name, std::string_view value, std::string_view allowed) {
  if (outcome_) outcome_ = fail(errc::invalid_argument, "{} is '{}'; allowed is {}", name, value, allowed);
}

}  // namespace muster::cluster

// docs/configuration.md against the code: the page that says which settings there are.

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <fmt/chrono.h>

#include "muster/base/duration_text.hpp"
#include "muster/receptionist/options.hpp"
#include "muster/runtime/join_plan.hpp"

namespace muster::cluster {
namespace {

const joining_process reader{.system = "shop", .node = "a", .host = "web", .distinction = "1"};

/// What a row of the table of settings says.
struct row {
  std::string fallback;  ///< without the marks of code; empty where it is a sentence
  std::string allowed;
};

/// By the setting's name.
std::map<std::string, row> documented() {
  std::ifstream file{MUSTER_DOCS "/configuration.md"};
  std::map<std::string, row> out;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `cluster.")) continue;
    std::istringstream cells{line.substr(1)};
    std::string name;
    std::string value;
    std::string allowed;
    std::getline(cells, name, '|');
    std::getline(cells, value, '|');
    std::getline(cells, allowed, '|');
    const auto bare = [](std::string text) {
      text.erase(0, text.find_first_not_of(' '));
      text.erase(text.find_last_not_of(' ') + 1);
      const bool is_code = text.size() > 1 && text.front() == '`' && text.find('`', 1) == text.size() - 1;
      return is_code ? text.substr(1, text.size() - 2) : std::string{};
    };
    EXPECT_TRUE(out.emplace(bare(name), row{bare(value), allowed.substr(1)}).second) << name << " has two rows";
  }
  return out;
}

/// The names that an objection to an unknown one offers.
std::set<std::string> offered(const std::string& objection, std::string_view before, const std::string& prefix) {
  std::set<std::string> out;
  std::string list = objection.substr(objection.find(before) + before.size());
  for (std::size_t at; (at = list.find(" and ")) != std::string::npos;) list.replace(at, 5, ", ");
  std::istringstream names{list};
  for (std::string one; std::getline(names, one, ',');) {
    one.erase(0, one.find_first_not_of(' '));
    one.erase(std::min(one.find(' '), one.size()));
    if (one != "receptionist.") out.insert(prefix + one);
  }
  return out;
}

std::string settings_of(const config::property_map& properties) {
  const auto plan = plan_join({.properties = properties}, reader);
  if (!plan) return plan.error().message;
  const auto& node = plan->node;
  const auto& of = node.membership;
  return fmt::format("{} {} {} | {} {} {} {} {} {} {} {} {} | {} {} | {} {} | {} {} {} | {}", plan->wire.listen,
                     node.cluster, node.seeds.size(), of.probe_interval, of.probe_timeout, of.suspicion_time,
                     of.removal_timeout, of.removed_horizon, of.heal_interval, of.join_retry_min, of.join_retry_max,
                     of.leave_timeout, of.keep_majority, of.majority_delay, node.frame_bytes_max,
                     plan->wire.in_flight_bytes_max, plan->wire.connect_timeout, plan->wire.stop_timeout,
                     plan->wire.silence_timeout, node.gossip.taken_from == gossip::news_source::origin_only);
}

std::string receptionist_settings_of(const config::property_map& properties) {
  const auto read = receptionist::options{}.configuration(properties).resolve(receptionist::settings{}.gossip_interval);
  if (!read) return read.error().message;
  return fmt::format("{} {} {} {}", read->max_subscribers_per_key, read->max_subscribers_total, read->gossip_interval,
                     read->watch_registered);
}

TEST(configuration_page, has_a_row_for_each_setting_and_for_nothing_else) {
  auto known = offered(settings_of({{"cluster.no-such", "1"}}), "only ", "cluster.");
  known.merge(
      offered(receptionist_settings_of({{"cluster.receptionist.no-such", "1"}}), "only ", "cluster.receptionist."));
  std::set<std::string> rows;
  for (const auto& [name, said] : documented()) rows.insert(name);
  EXPECT_EQ(rows, known);
}

TEST(configuration_page, names_the_defaults_that_hold) {
  std::size_t compared = 0;
  for (const auto& [name, said] : documented()) {
    const std::string& value = said.fallback;
    if (value.empty()) continue;  // a sentence instead of a value
    if (name.starts_with("cluster.receptionist.")) {
      EXPECT_EQ(receptionist_settings_of({{name, value}}), receptionist_settings_of({})) << name;
    } else {
      EXPECT_EQ(settings_of({{name, value}}), settings_of({})) << name;
    }
    ++compared;
  }
  EXPECT_GE(compared, 20U);
}

/// The sentence that refuses these settings, or nothing.
std::string objection_to(const config::property_map& properties) {
  const auto plan = plan_join({.properties = properties}, reader);
  if (!plan) return plan.error().message;
  membership::options whole = plan->node.membership;
  whole.name = plan->node.name;
  whole.cluster = plan->node.cluster;
  whole.address = "somewhere";
  whole.incarnation = membership::incarnation{1};
  if (const auto sound = validate(plan->node); !sound) return sound.error().message;
  if (const auto sound = membership::validate(whole); !sound) return sound.error().message;
  const auto read = receptionist::options{}.configuration(properties).resolve(receptionist::settings{}.gossip_interval);
  return read ? std::string{} : read.error().message;
}

TEST(configuration_page, says_what_is_allowed) {
  const std::regex range{"^`([^`]+)` (to `([^`]+)`|or more).*"};
  std::size_t compared = 0;
  for (const auto& [name, said] : documented()) {
    const bool is_time = said.allowed.starts_with("a time");
    std::smatch bounds;
    if (!is_time && !std::regex_match(said.allowed, bounds, range)) continue;  // a word or a sentence
    const std::string least = is_time ? "1ms" : bounds.str(1);
    const std::string most = is_time ? "24h" : bounds.str(3);
    const auto takes = [&name = name](const std::string& value) {
      config::property_map all{{name, value}};
      if (name == "cluster.join-retry-min") all.emplace("cluster.join-retry-max", "24h");
      if (name == "cluster.join-retry-max") all.emplace("cluster.join-retry-min", "1ms");
      return objection_to(all);
    };
    const auto beyond = [](const std::string& bound, int by) {
      const bool is_number = bound.find_first_not_of("0123456789") == std::string::npos;
      return is_number
                 ? fmt::to_string(std::stoll(bound) + by)
                 : fmt::format(
                       "{}us",
                       std::chrono::duration_cast<std::chrono::microseconds>(*parse_duration(bound)).count() + by);
    };
    EXPECT_EQ(takes(least), "") << name;
    EXPECT_TRUE(takes(beyond(least, -1)).starts_with(name + " is '")) << takes(beyond(least, -1));
    if (!most.empty()) {
      EXPECT_EQ(takes(most), "") << name;
      EXPECT_TRUE(takes(beyond(most, 1)).starts_with(name + " is '")) << name << takes(beyond(most, 1));
    }
    ++compared;
  }
  EXPECT_GE(compared, 16U);
}

}  // namespace
}  // namespace muster::cluster

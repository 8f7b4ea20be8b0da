// docs/configuration.md against the code: the page that says which settings there are.

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <fmt/chrono.h>

#include "muster/receptionist/options.hpp"
#include "muster/runtime/join_plan.hpp"

namespace muster::cluster {
namespace {

const joining_process reader{.system = "shop", .node = "a", .host = "web", .distinction = "1"};

/// Name and default of each row of the table of settings, without the marks of code.
std::map<std::string, std::string> documented() {
  std::ifstream file{MUSTER_DOCS "/configuration.md"};
  std::map<std::string, std::string> out;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `cluster.")) continue;
    std::istringstream cells{line.substr(1)};
    std::string name;
    std::string value;
    std::getline(cells, name, '|');
    std::getline(cells, value, '|');
    const auto bare = [](std::string text) {
      text.erase(0, text.find_first_not_of(' '));
      text.erase(text.find_last_not_of(' ') + 1);
      const bool is_code = text.size() > 1 && text.front() == '`' && text.find('`', 1) == text.size() - 1;
      return is_code ? text.substr(1, text.size() - 2) : std::string{};
    };
    EXPECT_TRUE(out.emplace(bare(name), bare(value)).second) << name << " has two rows";
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
  return fmt::format("{} {} {} | {} {} {} {} {} {} {} {} {} | {} {} | {} {} | {} {} {}", plan->wire.listen,
                     node.cluster, node.seeds.size(), of.probe_interval, of.probe_timeout, of.suspicion_time,
                     of.removal_timeout, of.removed_horizon, of.heal_interval, of.join_retry_min, of.join_retry_max,
                     of.leave_timeout, of.keep_majority, of.majority_delay, node.frame_bytes_max,
                     plan->wire.in_flight_bytes_max, plan->wire.connect_timeout, plan->wire.stop_timeout,
                     plan->wire.silence_timeout);
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
  for (const auto& [name, value] : documented()) rows.insert(name);
  EXPECT_EQ(rows, known);
}

TEST(configuration_page, names_the_defaults_that_hold) {
  std::size_t compared = 0;
  for (const auto& [name, value] : documented()) {
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

}  // namespace
}  // namespace muster::cluster

#include "bench/report.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include <Ice/Config.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/json.hpp>

namespace muster::bench {

namespace {

std::string number(double value) {
  const auto size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.1f}", value);
  if (size >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string number_or_dash(const std::vector<double>& samples) {
  return samples.empty() ? "–" : number(median(samples));
}

std::string ratio_or_dash(const std::vector<double>& of, const std::vector<double>& to) {
  const auto value = ratio(of, to);
  return value ? fmt::format("{:.2f}", *value) : "–";
}

std::string to_text(const target& goal, const std::string& unit, const side_names& names) {
  const auto* sign = goal.direction == target::bound::at_least ? "≥" : "≤";
  switch (goal.what) {
    case target::kind::of_stock: return fmt::format("{} {:g} × {}", sign, goal.value, names.stock);
    case target::kind::of_constant: return fmt::format("{} {:g} × {}", sign, goal.value, names.constant);
    case target::kind::absolute: return fmt::format("{} {:g} {}", sign, goal.value, unit);
  }
  return {};
}

std::string processor_name() {
  std::ifstream file{"/proc/cpuinfo"};
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(':');
    return colon == std::string::npos ? line : line.substr(std::min(colon + 2, line.size()));
  }
  return "unknown";
}

boost::json::object machine() {
  utsname system{};
  ::uname(&system);
  return {{"processor", processor_name()},
          {"processors", ::sysconf(_SC_NPROCESSORS_ONLN)},
          {"kernel", std::string{system.release}},
          {"ice", ICE_STRING_VERSION}};
}

boost::json::value samples_of(const std::vector<double>& samples) {
  if (samples.empty()) return nullptr;
  return boost::json::object{{"median", median(samples)},
                             {"samples", boost::json::array(samples.begin(), samples.end())}};
}

boost::json::object to_json(const row& line, const side_names& names) {
  boost::json::object out{{"measurement", line.measurement},
                          {"what", line.what},
                          {"unit", line.unit},
                          {names.stock, samples_of(line.stock)},
                          {"muster", samples_of(line.muster)},
                          {names.constant, samples_of(line.constant)}};
  if (const auto value = ratio(line.muster, line.stock)) out["ratio_to_" + names.stock] = *value;
  if (const auto value = ratio(line.muster, line.constant)) out["ratio_to_" + names.constant] = *value;
  if (!line.remark.empty()) out["remark"] = line.remark;
  boost::json::array targets;
  for (const auto& goal : line.targets) {
    boost::json::object one{{"must_be", to_text(goal, line.unit, names)}};
    if (const auto met = is_met(line, goal)) one["met"] = *met;
    targets.push_back(std::move(one));
  }
  out["targets"] = std::move(targets);
  return out;
}

}  // namespace

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

double quantile(std::vector<double> samples, double part) {
  if (samples.empty()) throw std::runtime_error{"nothing was answered within the window"};
  const auto rank = std::max(std::ceil(part * static_cast<double>(samples.size())), 1.0);
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

std::optional<double> ratio(const std::vector<double>& of, const std::vector<double>& to) {
  if (of.empty() || to.empty()) return std::nullopt;
  if (of.size() != to.size()) {
    const auto below = median(to);
    return below > 0 ? std::optional{median(of) / below} : std::nullopt;
  }
  std::vector<double> quotients;
  for (std::size_t n = 0; n < of.size(); ++n) {
    if (to[n] > 0) quotients.push_back(of[n] / to[n]);
  }
  return quotients.empty() ? std::nullopt : std::optional{median(std::move(quotients))};
}

std::optional<bool> is_met(const row& line, const target& goal) {
  std::optional<double> value;
  switch (goal.what) {
    case target::kind::of_stock: value = ratio(line.muster, line.stock); break;
    case target::kind::of_constant: value = ratio(line.muster, line.constant); break;
    case target::kind::absolute:
      if (!line.muster.empty()) value = median(line.muster);
      break;
  }
  if (!value) return std::nullopt;
  return goal.direction == target::bound::at_least ? *value >= goal.value : *value <= goal.value;
}

std::string as_line(const row& line, const side_names& names) {
  std::string text = fmt::format("{}:", line.what);
  const auto add = [&](std::string_view name, const std::vector<double>& samples) {
    if (!samples.empty()) text += fmt::format(" {} {}", name, number(median(samples)));
  };
  add(names.stock, line.stock);
  add("muster", line.muster);
  add(names.constant, line.constant);
  return fmt::format("{} {}", text, line.unit);
}

std::string as_table(const std::vector<row>& rows, const side_names& names) {
  std::string text = fmt::format(
      "| what (medians) | unit | {0} | muster | muster / {0} | {1} | muster / {1} | must be | holds |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n",
      names.stock, names.constant);
  for (const auto& line : rows) {
    std::string goals;
    std::string holds;
    for (const auto& goal : line.targets) {
      const auto met = is_met(line, goal);
      goals += (goals.empty() ? "" : ", ") + to_text(goal, line.unit, names);
      holds += (holds.empty() ? "" : ", ") + std::string{!met ? "–" : *met ? "yes" : "**no**"};
    }
    text += fmt::format("| {}{} | {} | {} | {} | {} | {} | {} | {} | {} |\n", line.what,
                        line.remark.empty() ? "" : fmt::format(" ({})", line.remark), line.unit,
                        number_or_dash(line.stock), number_or_dash(line.muster), ratio_or_dash(line.muster, line.stock),
                        number_or_dash(line.constant), ratio_or_dash(line.muster, line.constant), goals, holds);
  }
  return text;
}

std::string as_json(const std::vector<row>& rows, const std::string& command, int pairs, const side_names& names) {
  boost::json::array lines;
  for (const auto& line : rows) lines.push_back(to_json(line, names));
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const boost::json::object out{{"command", command},
                                {"at", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                                {"pairs", pairs},
                                {"machine", machine()},
                                {"rows", std::move(lines)}};
  return boost::json::serialize(out) + "\n";
}

}  // namespace muster::bench

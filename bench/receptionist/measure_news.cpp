#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/receptionist/measures.hpp"
#include "bench/turns.hpp"

namespace muster::bench {

namespace {

constexpr int warm_up = 100;
constexpr double per_ms = 1e6;
constexpr double per_us = 1e3;

std::vector<double> p50_and_p99(const std::vector<double>& samples) {
  return {quantile(samples, 0.5), quantile(samples, 0.99)};
}

// From before the registration, on a, to the subscriber's having the listing, on b. The next one begins when both have
// told this process, and the one before has been taken back.
std::vector<double> one_change_at_a_time(receptionist_context& with, side which) {
  fleet nodes{with, which};
  auto& a = nodes[0];
  auto& b = nodes[1];
  b.ask("follow one-change-key-0");
  std::vector<double> samples;
  const int count = static_cast<int>(with.scaled(1'000));
  for (int i = -warm_up; i < count; ++i) {
    b.say("await one-change-key-0 1");
    const auto begin = a.ask("register one-change-key-0").at(0);
    const auto end = b.hear().at(0);
    if (i >= 0) samples.push_back(static_cast<double>(end - begin) / per_us);
    a.ask("deregister one-change-key-0");
    b.ask("await one-change-key-0 0");
  }
  return p50_and_p99(samples);
}

// The same way with nothing but the transport.
std::vector<double> raw_one_way(receptionist_context& with) {
  const auto folder = with.folder.make("raw");
  conversation a{"raw a", {with.own, "--raw-peer"}, folder / "a.log"};
  conversation b{"raw b", {with.own, "--raw-peer"}, folder / "b.log"};
  const auto shoot = "shoot " + b.ask_text("address");
  std::vector<double> samples;
  const int count = static_cast<int>(with.scaled(1'000));
  for (int i = -warm_up; i < count; ++i) {
    b.say(fmt::format("hit {}", i + warm_up + 1));
    const auto begin = a.ask(shoot).at(0);
    const auto end = b.hear().at(0);
    if (i >= 0) samples.push_back(static_cast<double>(end - begin) / per_us);
  }
  return p50_and_p99(samples);
}

}  // namespace

void measure_one_change(receptionist_context& with) {
  std::vector<row> rows;
  for (const auto* part : {"p50", "p99"}) {
    rows.push_back({.measurement = "one-change",
                    .what = fmt::format("register → listing at a remote subscriber, {}", part),
                    .unit = "µs",
                    .targets = {at_most(1), at_most(3, target::kind::of_constant)}});
  }
  // The bare transport is a third side here.
  interleaved(with.pairs, with.sides.size() + 1, [&](std::size_t n) {
    const bool is_raw = n == with.sides.size();
    const auto samples = is_raw ? raw_one_way(with) : one_change_at_a_time(with, with.sides[n]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (is_raw ? rows[i].constant : column_of(rows[i], with.sides[n])).push_back(samples[i]);
    }
  });
  for (auto& each : rows) with.rows.push_back(std::move(each));
}

void measure_many_changes(receptionist_context& with) {
  const auto count = with.scaled(100'000);
  const auto last = fmt::format("fill-{:011}", count - 1);
  const row remote{.measurement = "many-changes",
                   .what = fmt::format("{} registrations under different keys → all visible at a remote node", count),
                   .unit = "ms",
                   .targets = {at_most(0.5)}};
  const row local{.measurement = "many-changes",
                  .what = fmt::format("{} registrations under different keys, acknowledged on their node", count),
                  .unit = "ms"};
  measure_in_turns(with, {remote, local}, [&](side which) {
    fleet nodes{with, which};
    auto& a = nodes[0];
    auto& b = nodes[1];
    b.ask("follow " + last);
    b.say(fmt::format("await {} 1", last));
    const auto took = a.ask(fmt::format("fill fill- {}", count));
    const auto end = b.hear().at(0);
    // Changes of one node become visible in their order, so the last one stands for all.
    const auto seen = b.ask(fmt::format("count fill- {}", count)).at(0);
    if (seen != static_cast<std::int64_t>(count)) {
      throw std::runtime_error{fmt::format("{}: the last key was there before {} others", to_text(which),
                                           static_cast<std::int64_t>(count) - seen)};
    }
    return std::vector{static_cast<double>(end - took.at(0)) / per_ms,
                       static_cast<double>(took.at(1) - took.at(0)) / per_ms};
  });
}

}  // namespace muster::bench

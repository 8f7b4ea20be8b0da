#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/receptionist/contests.hpp"
#include "bench/receptionist/measures.hpp"
#include "bench/turns.hpp"

namespace muster::bench {

namespace {

using namespace std::chrono_literals;

// Bytes a second, which is the interval of gossip: of all frames, and of gossip alone.
std::vector<double> traffic_of(conversation& node, std::chrono::seconds window) {
  const auto before = node.ask("traffic");
  std::this_thread::sleep_for(window);  // tidy: allow, because what is measured is what comes by itself in that time
  const auto after = node.ask("traffic");
  const auto rate = [&](std::size_t n) {
    return static_cast<double>(after.at(n) - before.at(n)) / static_cast<double>(window.count());
  };
  return {rate(1), rate(2)};
}

double bytes_each(std::int64_t before, std::int64_t after, std::size_t count) {
  return static_cast<double>(after - before) / static_cast<double>(count);
}

struct held {
  std::int64_t resident;
  std::int64_t in_use;
};

held memory_of(conversation& node) {
  node.ask("settle");
  const auto in_use = node.ask("heap").at(0);
  return {static_cast<std::int64_t>(node.of().memory().anonymous_bytes), in_use};
}

}  // namespace

void measure_idle_traffic(receptionist_context& with) {
  const auto window = with.quick ? 2s : 20s;
  const auto few = std::size_t{1'000};
  const auto many = with.scaled(100'000);
  // With how many registrations it is measured makes the two sides here: what few of them cost is the limit.
  std::vector<row> rows;
  for (const auto* which : {"all frames", "gossip alone"}) {
    rows.push_back({.measurement = "idle",
                    .what = fmt::format("idle traffic a node a round (1 s) with {} registrations, {}", many, which),
                    .unit = "bytes",
                    .targets = {at_most(500, target::kind::absolute), at_most(1.15, target::kind::of_constant)},
                    .remark = fmt::format("limit: with {}", few)});
  }
  interleaved(with.pairs, 2, [&](std::size_t n) {
    fleet nodes{with, side::muster};
    const auto count = n == 0 ? many : few;
    nodes[0].ask(fmt::format("fill idle- {}", count));
    for (std::size_t i = 1; i < nodes.size(); ++i) nodes[i].ask(fmt::format("sample idle- {} 1", count));
    const auto rates = traffic_of(nodes[1], window);
    for (std::size_t i = 0; i < rows.size(); ++i) (n == 0 ? rows[i].muster : rows[i].constant).push_back(rates.at(i));
  });
  for (auto& each : rows) with.rows.push_back(std::move(each));
}

void measure_memory(receptionist_context& with) {
  const auto count = with.scaled(100'000);
  for (const bool has_own_actor : {false, true}) {
    const auto* whose = has_own_actor ? "an actor each" : "one actor under all keys";
    std::vector<row> rows;
    for (const auto* where : {"local", "remote"}) {
      rows.push_back({.measurement = "memory",
                      .what = fmt::format("memory a registration, {}, {}: resident", where, whose),
                      .unit = "bytes",
                      .targets = {at_most(0.5)}});
      rows.push_back({.measurement = "memory",
                      .what = fmt::format("memory a registration, {}, {}: by the allocator", where, whose),
                      .unit = "bytes"});
    }
    measure_in_turns(with, rows, [&](side which) {
      fleet nodes{with, which};
      auto& a = nodes[0];
      auto& b = nodes[1];
      // Not counted: the actors themselves.
      if (has_own_actor) a.ask(fmt::format("spawn {}", count));
      const auto a_before = memory_of(a);
      const auto b_before = memory_of(b);
      a.ask(fmt::format("fill memory- {}", count));
      b.ask(fmt::format("sample memory- {} 1", count));
      const auto a_after = memory_of(a);
      const auto b_after = memory_of(b);
      return std::vector{
          bytes_each(a_before.resident, a_after.resident, count), bytes_each(a_before.in_use, a_after.in_use, count),
          bytes_each(b_before.resident, b_after.resident, count), bytes_each(b_before.in_use, b_after.in_use, count)};
    });
  }
}

void measure_messages(receptionist_context& with) {
  for (const auto& each : all_contests()) {
    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
      row line{.measurement = "messages",
               .what = fmt::format("{}, {} thread{}", each.what, threads, threads == 1 ? "" : "s"),
               .unit = std::string{each.unit},
               .targets = {at_least(0.7, target::kind::of_constant)}};
      interleaved(with.pairs, 2, [&](std::size_t n) {
        (n == 0 ? line.muster : line.constant).push_back((n == 0 ? each.actors : each.bare)(threads));
      });
      with.rows.push_back(std::move(line));
    }
  }
}

}  // namespace muster::bench

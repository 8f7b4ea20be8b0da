// How long others wait for their turn while a node comes or goes with much: the cores alone, driven as their actors
// drive them.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/receptionist/measures.hpp"
#include "muster/base/prng.hpp"
#include "muster/gossip/core.hpp"
#include "muster/receptionist/core.hpp"

namespace muster::bench {

namespace {

using muster::receptionist::directory_news;
using muster::receptionist::reachability;

/// The longest of some turns, in milliseconds.
class longest {
 public:
  template <typename Turn>
  auto time(Turn&& turn) {
    const struct stop_watch {
      ~stop_watch() {
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
        of.most_ms_ = std::max(of.most_ms_, took.count());
      }
      longest& of;
      std::chrono::steady_clock::time_point began;
    } watch{*this, std::chrono::steady_clock::now()};
    return std::forward<Turn>(turn)();
  }
  [[nodiscard]] double ms() const noexcept { return most_ms_; }

 private:
  double most_ms_{0};
};

std::string key_of(std::size_t number) { return fmt::format("lost-{:011}", number); }

gossip::entry some_actor() { return {gossip::shared_text{"/user/a"}, 7, gossip::shared_text{"t"}}; }

double longest_turn_with(muster::receptionist::core& desk, directory_news news) {
  constexpr std::size_t turn_changes_max = 1024;  // as receptionist_actor.cpp has it
  muster::receptionist::core::news_in_work work{std::move(news)};
  longest turns;
  for (bool is_done = false; !is_done || desk.has_changes();) {
    turns.time([&] {
      is_done = is_done || desk.handle_some(work, turn_changes_max);
      (void)desk.poll_notices();
    });
  }
  return turns.ms();
}

std::vector<double> turns_of_a_receptionist(std::size_t count) {
  const auto lost = gossip::make_origin("n2", 1);
  muster::receptionist::core desk{{}, std::make_shared<muster::receptionist::published>(), gossip::node_id{"n1"}, {}};
  for (std::size_t i = 0; i < 100; ++i) {
    (void)desk.subscribe(any_key{key_of(i * count / 100)}, muster::receptionist::subscriber_id{1});
  }
  std::vector<gossip::change> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({gossip::shared_text{key_of(i)}, lost, some_actor(), false});
  std::vector<double> out{longest_turn_with(desk, {.changes = all})};
  out.push_back(longest_turn_with(desk, {.reach = {{lost, reachability::state::unreachable}}}));
  for (auto& one : all) one.vanished = true;
  out.push_back(longest_turn_with(desk, {.changes = std::move(all), .reach = {{lost, reachability::state::gone}}}));
  return out;
}

std::vector<double> turns_of_gossip(std::size_t count) {
  prng random{1};
  const auto lost = gossip::make_origin("n2", 1);
  const auto left = *gossip::core::make({}, gossip::make_origin("n1", 1), random, instant{});
  const auto gone = *gossip::core::make({}, lost, random, instant{});
  for (std::size_t i = 0; i < count; ++i) (void)gone->add(key_of(i), some_actor());
  (void)gone->poll_ready();
  instant now{};
  left->handle_member_up(lost, now);
  gone->handle_member_up(left->self(), now);
  longest taking;
  const auto deliver = [&](gossip::core& from, gossip::core& to) {
    const auto effects = from.poll_ready();
    for (const auto& each : effects.messages) {
      taking.time([&] { to.handle_message(from.self(), each.what, now); });
    }
    return !effects.messages.empty();
  };
  while (left->registration_count() < count) {
    now += std::chrono::seconds{1};
    left->handle_tick(now);
    gone->handle_tick(now);
    for (bool goes_on = true; goes_on;) {
      const bool said = deliver(*left, *gone);
      goes_on = deliver(*gone, *left) || said;
    }
  }
  longest forgetting;
  forgetting.time([&] {
    left->forget(lost, now);
    (void)left->poll_ready();
  });
  longest renaming;
  renaming.time([&] {
    (void)gone->reincarnate(gossip::incarnation{2});
    (void)gone->poll_ready();
  });
  return {taking.ms(), forgetting.ms(), renaming.ms()};
}

}  // namespace

void measure_turns(receptionist_context& with) {
  const auto count = with.scaled(200'000);
  std::vector<row> rows;
  for (const auto* what :
       {"receptionist: hears of them at once", "receptionist: their node becomes unreachable",
        "receptionist: their node is removed", "gossip: takes them over as a whole", "gossip: forgets their node",
        "gossip: their own node goes on with them under a new incarnation"}) {
    rows.push_back({.measurement = "turns",
                    .what = fmt::format("longest turn with {} registrations of another node, {}", count, what),
                    .unit = "ms"});
  }
  for (int i = 0; i < with.pairs; ++i) {
    auto all = turns_of_a_receptionist(count);
    std::ranges::move(turns_of_gossip(count), std::back_inserter(all));
    for (std::size_t n = 0; n < rows.size(); ++n) rows[n].muster.push_back(all.at(n));
  }
  for (auto& each : rows) with.rows.push_back(std::move(each));
}

}  // namespace muster::bench

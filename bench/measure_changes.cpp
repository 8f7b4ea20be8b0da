#include <map>
#include <utility>

#include <fmt/format.h>

#include "bench/measurement.hpp"

namespace muster::bench {

namespace {

constexpr int connections = 4;

struct changed {
  grid of;
  std::vector<std::shared_ptr<IceGrid::AdminPrx>> admins{};
  std::uint64_t next = 0;
};

void measure_add(context& with, int slaves, std::string_view text,
                 const std::map<std::size_t, std::vector<target>>& targets) {
  const Ice::CommunicatorHolder client{make_client()};
  std::vector<changed> all;
  for (const auto which : with.settings.products) {
    changed one{.of = start_grid(with.settings.where, which, with.folder, slaves)};
    one.admins = admins(client.communicator(), *one.of.master, connections);
    all.push_back(std::move(one));
  }
  for (const auto& each : targets) {
    const auto in_flight = each.first;
    row rate{.measurement = "add",
             .what = fmt::format("addObjectWithType, {}, {} in flight", text, in_flight),
             .unit = "1/s",
             .targets = each.second};
    row latency{.measurement = "add",
                .what = fmt::format("addObjectWithType, {}, {} in flight, p50", text, in_flight),
                .unit = "µs"};
    interleaved(with.settings.pairs, all.size(), [&](std::size_t n) {
      auto& one = all[n];
      const auto result = run_window(with.window_of(in_flight), one.next, add_object_calls(one.admins));
      column(rate, one.of.master->which()).push_back(result.per_second);
      column(latency, one.of.master->which()).push_back(quantile(result.latencies_us, 0.5));
    });
    with.rows.push_back(std::move(rate));
    with.rows.push_back(std::move(latency));
  }
}

}  // namespace

void measure_add_alone(context& with) {
  measure_add(with, 0, "no slave", {{1, {at_least(0.9)}}, {16, {at_least(5)}}, {128, {at_least(10)}}});
}

void measure_add_with_slaves(context& with) {
  measure_add(with, 3, "3 slaves", {{1, {at_least(1.5)}}, {16, {at_least(10)}}, {128, {}}});
}

void measure_registering_again(context& with) {
  constexpr std::uint64_t adapters = 1000;
  struct registered {
    grid of;
    std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>> registries{};
    std::uint64_t next = 0;
  };
  const Ice::CommunicatorHolder client{make_client()};
  std::vector<registered> all;
  for (const auto which : with.settings.products) {
    registered one{.of = start_grid(with.settings.where, which, with.folder, 0)};
    fill_adapters(*one.of.master, adapters);
    one.registries = locator_registries(client.communicator(), *one.of.master, connections);
    all.push_back(std::move(one));
  }
  row rate{.measurement = "register-again",
           .what = "an adapter registers the same proxy again",
           .unit = "1/s",
           .targets = {at_least(4)}};
  row written{.measurement = "register-again",
              .what = "its database was written meanwhile (1: yes)",
              .unit = "",
              .targets = {at_most(0, target::kind::absolute)}};
  interleaved(with.settings.pairs, all.size(), [&](std::size_t n) {
    auto& one = all[n];
    const auto& master = *one.of.master;
    const auto before = master.written_at();
    const auto result = run_window(with.window_of(128), one.next, register_adapter_calls(one.registries, adapters));
    column(rate, master.which()).push_back(result.per_second);
    column(written, master.which()).push_back(master.written_at() == before ? 0 : 1);
  });
  with.rows.push_back(std::move(rate));
  with.rows.push_back(std::move(written));
}

}  // namespace muster::bench

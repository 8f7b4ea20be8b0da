#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/measurement.hpp"

namespace muster::bench {

namespace {

constexpr std::uint64_t names = 1000;
constexpr int connections = 4;

// One who answers locate requests: a registry of either product, or the constant servant. Only the one that is measured
// has anything to do.
struct answerer {
  std::unique_ptr<registry> of;       // either this
  std::unique_ptr<process> constant;  // or this
  std::vector<double>* rates = nullptr;
  std::vector<double> processor_us;  // of the answering process, for each request
  std::vector<std::shared_ptr<Ice::LocatorPrx>> proxies;
  std::uint64_t next = 0;

  [[nodiscard]] process& running() { return of ? of->running() : *constant; }
};

void fill(const registry& master, located_kind what) {
  switch (what) {
    case located_kind::object: fill_objects(master, names); break;
    case located_kind::adapter: fill_adapters(master, names); break;
    case located_kind::group: {
      const Ice::CommunicatorHolder client{make_client()};
      run_all(names * 3, 128, register_member_calls(locator_registries(client.communicator(), master, connections)));
      break;
    }
  }
}

answerer start_constant(context& with, const Ice::CommunicatorPtr& client) {
  answerer made;
  const auto port = free_port();
  made.constant = std::make_unique<process>(
      std::vector<std::string>{with.settings.where.own, "--constant-servant", fmt::to_string(port)},
      with.folder.make("constant") / "log");
  for (int n = 0; n < connections; ++n) {
    const auto text = fmt::format("Bench/Locator:tcp -h 127.0.0.1 -p {}", port);
    made.proxies.push_back(Ice::uncheckedCast<Ice::LocatorPrx>(
        client->stringToProxy(text)->ice_connectionId(fmt::format("constant-{}", n))));
  }
  const auto deadline = clock::now() + std::chrono::seconds{20};
  for (;;) {
    try {
      made.proxies.front()->ice_ping();
      return made;
    } catch (const Ice::Exception&) {
      if (clock::now() > deadline) throw;
    }
  }
}

std::vector<answerer> start_answerers(context& with, const Ice::CommunicatorPtr& client, located_kind what,
                                      bool wants_constant) {
  std::vector<answerer> made;
  for (const auto which : with.settings.products) {
    auto grid = start_grid(with.settings.where, which, with.folder, 0);
    fill(*grid.master, what);
    answerer one;
    one.of = std::move(grid.master);
    one.proxies = locators(client, *one.of, connections);
    made.push_back(std::move(one));
  }
  if (wants_constant) made.push_back(start_constant(with, client));
  return made;
}

void measure_rate(context& with, located_kind what, std::string_view text, std::vector<target> targets) {
  const Ice::CommunicatorHolder client{make_client()};
  auto all = start_answerers(with, client.communicator(), what, true);
  row line{
      .measurement = "locate", .what = fmt::format("locate {}", text), .unit = "1/s", .targets = std::move(targets)};
  for (auto& each : all) each.rates = each.of ? &column(line, each.of->which()) : &line.constant;

  interleaved(with.settings.pairs, all.size(), [&](std::size_t n) {
    auto& one = all[n];
    const auto first = one.next;
    const auto before = one.running().processor_time();
    const auto result = run_window(with.window_of(128), one.next, locate_calls(one.proxies, what, names));
    const std::chrono::duration<double, std::micro> spent = one.running().processor_time() - before;
    one.rates->push_back(result.per_second);
    one.processor_us.push_back(spent.count() / static_cast<double>(one.next - first));
  });
  row cost{.measurement = "locate", .what = fmt::format("processor time for it, {}", text), .unit = "µs"};
  for (auto& each : all) (each.of ? column(cost, each.of->which()) : cost.constant) = each.processor_us;
  with.rows.push_back(std::move(line));
  with.rows.push_back(std::move(cost));
}

}  // namespace

void measure_locate_object(context& with) {
  measure_rate(with, located_kind::object, "a well-known object",
               {at_least(1.9), at_least(0.9, target::kind::of_constant)});
}

void measure_locate_adapter(context& with) {
  measure_rate(with, located_kind::adapter, "a dynamically registered adapter",
               {at_least(1.9), at_least(0.9, target::kind::of_constant)});
}

void measure_locate_group(context& with) {
  measure_rate(with, located_kind::group, "a dynamic replica group of 3", {at_least(2.5)});
}

void measure_latency(context& with) {
  const Ice::CommunicatorHolder client{make_client()};
  auto all = start_answerers(with, client.communicator(), located_kind::object, true);
  struct level {
    std::size_t in_flight;
    row p50, p99, p999;
  };
  const auto make = [](std::size_t in_flight) {
    const auto named = [&](std::string_view which) {
      return row{
          .measurement = "latency", .what = fmt::format("locate, {} in flight, {}", in_flight, which), .unit = "µs"};
    };
    return level{in_flight, named("p50"), named("p99"), named("p99.9")};
  };
  std::array levels{make(1), make(16), make(256)};
  levels.front().p50.targets = {at_most(0.85)};
  for (auto& at : levels) {
    interleaved(with.settings.pairs, all.size(), [&](std::size_t n) {
      auto& one = all[n];
      const auto result =
          run_window(with.window_of(at.in_flight), one.next, locate_calls(one.proxies, located_kind::object, names));
      const auto add = [&](row& to, double part) {
        auto& samples = one.of ? column(to, one.of->which()) : to.constant;
        samples.push_back(quantile(result.latencies_us, part));
      };
      add(at.p50, 0.5);
      add(at.p99, 0.99);
      add(at.p999, 0.999);
    });
    for (auto* each : {&at.p50, &at.p99, &at.p999}) with.rows.push_back(std::move(*each));
  }
}

}  // namespace muster::bench

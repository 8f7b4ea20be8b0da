#include <array>
#include <utility>

#include <fmt/format.h>

#include "bench/measurement.hpp"

namespace muster::bench {

// Of muster alone: the stock registry needs minutes to be filled so far, and the row compares muster with itself.
void measure_very_many(context& with) {
  constexpr int connections = 4;
  constexpr double mebibyte = 1024.0 * 1024.0;
  const auto many = with.settings.very_many;
  const auto named = [&](std::string_view what, std::string_view unit) {
    return row{
        .measurement = "very-many", .what = fmt::format("{} objects: {}", many, what), .unit = std::string{unit}};
  };
  auto fill_rate = named("added", "1/s");
  auto memory = named("anonymous memory after a restart", "MiB");
  auto start = named("start until answering", "ms");
  auto fresh = named("fresh slave until answering with all of it", "ms");
  auto few_rate = named("locate a well-known object among 1,000, for comparison", "1/s");
  auto many_rate = named("locate a well-known object", "1/s");
  auto kept = named("that rate by the one at 1,000", "ratio");
  kept.targets = {at_least(0.85, target::kind::absolute)};

  const auto full = start_grid(with.settings.where, product::muster, with.folder, 0).master;
  auto began = clock::now();
  fill_objects(*full, many);
  const auto took = [&] { return std::chrono::duration<double>{clock::now() - began}.count(); };
  fill_rate.muster.push_back(static_cast<double>(many) / took());

  full->stop();
  began = clock::now();
  full->start();
  full->wait_for_object(object_name(many - 1));
  start.muster.push_back(took() * 1000);
  memory.muster.push_back(static_cast<double>(full->running().memory().anonymous_bytes) / mebibyte);
  {
    registry slave{with.settings.where,
                   product::muster,
                   with.folder.make("slave"),
                   {.replica = "Slave1", .locator = full->locator_text(), .database_from = {}}};
    began = clock::now();
    slave.start();
    slave.wait_for_object(object_name(0));
    slave.wait_for_object(object_name(many - 1));
    fresh.muster.push_back(took() * 1000);
    slave.stop();
  }

  const auto small = start_grid(with.settings.where, product::muster, with.folder, 0).master;
  fill_objects(*small, 1000);
  const Ice::CommunicatorHolder client{make_client()};
  struct answerer {
    start_call calls;
    row& rates;
    std::uint64_t next = 0;
  };
  std::array all{
      answerer{locate_calls(locators(client.communicator(), *small, connections), located_kind::object, 1000),
               few_rate},
      answerer{locate_calls(locators(client.communicator(), *full, connections), located_kind::object, many),
               many_rate}};
  interleaved(with.settings.pairs, all.size(), [&](std::size_t n) {
    auto& one = all[n];
    one.rates.muster.push_back(run_window(with.window_of(128), one.next, one.calls).per_second);
  });
  for (std::size_t n = 0; n < few_rate.muster.size(); ++n) {
    kept.muster.push_back(many_rate.muster[n] / few_rate.muster[n]);
  }
  for (auto* each : {&fill_rate, &memory, &start, &fresh, &few_rate, &many_rate, &kept}) {
    with.rows.push_back(std::move(*each));
  }
}

}  // namespace muster::bench

#include <utility>

#include <fmt/format.h>

#include "bench/measurement.hpp"

namespace muster::bench {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

double milliseconds_since(clock::time_point began) {
  return std::chrono::duration<double, std::milli>{clock::now() - began}.count();
}

// A master with many objects, and the rows in which it appears.
struct filled {
  std::unique_ptr<registry> master;
  std::uint64_t next_object = 0;
};

// The changes that a slave misses.
void add_objects(filled& to, std::uint64_t count) {
  const Ice::CommunicatorHolder client{make_client()};
  const auto calls = add_object_calls(admins(client.communicator(), *to.master, 1));
  const auto first = to.next_object;
  run_all(count, 1, [&](std::size_t lane, std::uint64_t number, auto answered, auto failed) {
    calls(lane, first + number, std::move(answered), std::move(failed));
  });
  to.next_object += count;
}

double measure_start(filled& of) {
  of.master->stop();
  const auto began = clock::now();
  of.master->start();
  of.master->wait_for_object(object_name(of.next_object - 1));
  return milliseconds_since(began);
}

double measure_fresh_slave(context& with, filled& of, registry& slave) {
  const auto began = clock::now();
  slave.start();
  slave.wait_for_object(object_name(0));
  slave.wait_for_object(object_name(of.next_object - 1));
  const auto took = milliseconds_since(began);
  of.master->wait_for_slave("Slave1");
  return took;
}

double measure_return(filled& of, registry& slave) {
  slave.stop();
  add_objects(of, 100);
  const auto began = clock::now();
  slave.start();
  slave.wait_for_object(object_name(of.next_object - 1));
  const auto took = milliseconds_since(began);
  of.master->wait_for_slave("Slave1");
  return took;
}

}  // namespace

void measure_many(context& with) {
  const auto count = with.settings.many;
  std::vector<filled> all;
  const auto named = [&](std::string_view what, std::string_view unit, std::vector<target> goals) {
    return row{.measurement = "many",
               .what = fmt::format("{} objects: {}", count, what),
               .unit = std::string{unit},
               .targets = std::move(goals)};
  };
  auto after_fill = named("anonymous memory after they were added", "MiB", {at_most(0.5)});
  auto after_start = named("anonymous memory after a restart", "MiB", {at_most(0.5)});
  auto mapped = named("mapped pages of files after a restart", "MiB", {});
  auto slave_memory = named("anonymous memory of a fresh slave", "MiB", {});
  auto start = named("start until answering", "ms", {at_most(0.7)});
  auto fresh = named("fresh slave until answering with all of it", "ms", {at_most(0.7)});
  auto back = named("slave back after missing 100 changes", "ms", {at_most(0.25)});

  for (const auto which : with.settings.products) {
    filled one{start_grid(with.settings.where, which, with.folder, 0).master, count};
    fill_objects(*one.master, count);
    column(after_fill, which).push_back(static_cast<double>(one.master->running().memory().anonymous_bytes) / mebibyte);
    all.push_back(std::move(one));
  }
  interleaved(with.settings.pairs, all.size(), [&](std::size_t n) {
    auto& one = all[n];
    const auto which = one.master->which();
    column(start, which).push_back(measure_start(one));
    const auto memory = one.master->running().memory();
    column(after_start, which).push_back(static_cast<double>(memory.anonymous_bytes) / mebibyte);
    column(mapped, which).push_back(static_cast<double>(memory.mapped_bytes) / mebibyte);

    registry slave{with.settings.where,
                   which,
                   with.folder.make("slave"),
                   {.replica = "Slave1", .locator = one.master->locator_text(), .database_from = {}}};
    column(fresh, which).push_back(measure_fresh_slave(with, one, slave));
    column(slave_memory, which).push_back(static_cast<double>(slave.running().memory().anonymous_bytes) / mebibyte);
    column(back, which).push_back(measure_return(one, slave));
    slave.stop();
  });
  for (auto* each : {&after_fill, &after_start, &mapped, &slave_memory, &start, &fresh, &back}) {
    with.rows.push_back(std::move(*each));
  }
}

void measure_bytes(context& with) {
  const auto count = with.settings.many / 5;
  const auto named = [](std::string_view what) {
    return row{.measurement = "bytes", .what = std::string{what}, .unit = "bytes"};
  };
  auto object_memory = named("anonymous memory per object");
  auto object_disk = named("database per object");
  auto adapter_memory = named("anonymous memory per adapter");
  auto adapter_disk = named("database per adapter");
  for (const auto which : with.settings.products) {
    const auto measure = [&](row& memory, row& disk, void (*fill)(const registry&, std::uint64_t)) {
      const auto one = start_grid(with.settings.where, which, with.folder, 0).master;
      const auto restarted = [&] {
        one->stop();
        one->start_and_wait();
        return std::pair{static_cast<double>(one->running().memory().anonymous_bytes),
                         static_cast<double>(one->database_bytes())};
      };
      const auto [memory_before, disk_before] = restarted();
      fill(*one, count);
      const auto [memory_after, disk_after] = restarted();
      column(memory, which).push_back((memory_after - memory_before) / static_cast<double>(count));
      column(disk, which).push_back((disk_after - disk_before) / static_cast<double>(count));
    };
    measure(object_memory, object_disk, fill_objects);
    measure(adapter_memory, adapter_disk, fill_adapters);
  }
  for (auto* each : {&object_memory, &object_disk, &adapter_memory, &adapter_disk}) {
    each->remark = fmt::format("{} of them, after a restart", count);
    with.rows.push_back(std::move(*each));
  }
}

}  // namespace muster::bench

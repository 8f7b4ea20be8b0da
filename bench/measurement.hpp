#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/calls.hpp"
#include "bench/load.hpp"
#include "bench/registries.hpp"
#include "bench/report.hpp"
#include "bench/turns.hpp"

namespace muster::bench {

/// How a run is done; from the command line.
struct run_settings {
  programs where;
  std::vector<product> products{product::stock, product::muster};
  int pairs = 5;
  bool quick = false;  // shorter windows, smaller data: to see that all works
  std::chrono::milliseconds warm_up{250};
  std::chrono::milliseconds length{1000};
  /// What stands for "a hundred thousand", and for "a million".
  std::uint64_t many = 100'000;
  std::uint64_t very_many = 1'000'000;
  /// Longest wait for a call that a stopped peer delays.
  std::chrono::seconds stall_max{65};
};

/// What a measurement works with.
struct context {
  const run_settings& settings;
  work_directory& folder;
  std::vector<row>& rows;

  [[nodiscard]] window window_of(std::size_t in_flight) const { return {in_flight, settings.warm_up, settings.length}; }
};

struct measurement {
  std::string_view name;
  std::string_view text;
  void (*run)(context&);
  bool only_if_large = false;
};

/// All measurements, in the order of the table.
[[nodiscard]] const std::vector<measurement>& all_measurements();

// measure_locate.cpp
void measure_locate_object(context& with);
void measure_locate_adapter(context& with);
void measure_locate_group(context& with);
void measure_latency(context& with);
// measure_changes.cpp
void measure_add_alone(context& with);
void measure_add_with_slaves(context& with);
void measure_registering_again(context& with);
// measure_size.cpp
void measure_many(context& with);
void measure_bytes(context& with);
// measure_large.cpp
void measure_very_many(context& with);
// measure_faults.cpp
void measure_failover(context& with);
void measure_stalled_slave(context& with);

/// Fills a registry with the objects 0 to `count` - 1.
void fill_objects(const registry& master, std::uint64_t count);
void fill_adapters(const registry& master, std::uint64_t count);

/// The column of a row that belongs to a product.
[[nodiscard]] inline std::vector<double>& column(row& of, product which) {
  return which == product::stock ? of.stock : of.muster;
}

}  // namespace muster::bench

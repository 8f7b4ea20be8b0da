#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/processes.hpp"

namespace muster::bench {

/// Starts the asynchronous call number `number` in the lane `lane` (a lane has one call at a time); exactly one of the
/// callbacks is called when it is answered.
using start_call = std::function<void(std::size_t lane, std::uint64_t number, std::function<void()> answered,
                                      std::function<void(std::exception_ptr)> failed)>;

struct load_result {
  double per_second = 0;
  std::vector<double> latencies_us;  // of the calls that began and ended within the window
  std::uint64_t failures = 0;
  std::string first_failure;
};

struct window {
  std::size_t in_flight = 128;
  std::chrono::milliseconds warm_up{250};
  std::chrono::milliseconds length{1000};
};

/// A closed loop: always `in_flight` calls underway, each answer starts the next. Numbers count up from `first_number`,
/// which is left at the first number not used. Throws when more than a hundred calls fail.
[[nodiscard]] load_result run_window(const window& how, std::uint64_t& first_number, const start_call& start);

/// Calls number 0 to `count` - 1, `in_flight` at a time; throws when one fails.
void run_all(std::uint64_t count, std::size_t in_flight, const start_call& start);

}  // namespace muster::bench

#pragma once

#include <string_view>
#include <vector>

#include "bench/receptionist/sides.hpp"

namespace muster::bench {

struct receptionist_measurement {
  std::string_view name;
  std::string_view text;
  void (*run)(receptionist_context&);
};

/// All measurements, in the order of the table.
[[nodiscard]] const std::vector<receptionist_measurement>& all_receptionist_measurements();

// measure_news.cpp
void measure_one_change(receptionist_context& with);
void measure_many_changes(receptionist_context& with);
// measure_reads.cpp
void measure_reads(receptionist_context& with);
// measure_throughput.cpp
void measure_throughput(receptionist_context& with);
// measure_loss.cpp
void measure_loss(receptionist_context& with);
// measure_rest.cpp
void measure_idle_traffic(receptionist_context& with);
void measure_memory(receptionist_context& with);
void measure_messages(receptionist_context& with);
// measure_turns.cpp
void measure_turns(receptionist_context& with);

}  // namespace muster::bench

#include "bench/measurement.hpp"

#include <fmt/format.h>

namespace muster::bench {

namespace {

// Many enough for group commit, and what the client runtime takes without growing its queues much.
constexpr std::size_t fill_in_flight = 256;
constexpr int connections = 4;

}  // namespace

const std::vector<measurement>& all_measurements() {
  static const std::vector<measurement> all{
      {"locate-object", "rate of locating 1,000 well-known objects", measure_locate_object},
      {"locate-adapter", "rate of locating 1,000 dynamically registered adapters", measure_locate_adapter},
      {"locate-group", "rate of locating 1,000 dynamic replica groups of 3", measure_locate_group},
      {"latency", "latency of a locate with 1, 16 and 256 in flight", measure_latency},
      {"add-alone", "durable addObjectWithType without a slave, with 1, 16 and 128 in flight", measure_add_alone},
      {"add-slaves", "durable addObjectWithType with three slaves, with 1, 16 and 128 in flight",
       measure_add_with_slaves},
      {"register-again", "an adapter registers the proxy that it has registered before", measure_registering_again},
      {"many", "100,000 objects: memory, start, fresh slave, slave back after 100 missed changes", measure_many},
      {"bytes", "memory and disk per object and per adapter", measure_bytes},
      {"failover", "kill -9 of the master under a resolving client with two endpoints", measure_failover},
      {"stalled-slave", "a slave is killed, a slave is stopped: changes and locates meanwhile", measure_stalled_slave},
      {"very-many", "1,000,000 objects: start, fresh slave, rate of locating", measure_very_many, true},
  };
  return all;
}

void fill_objects(const registry& master, std::uint64_t count) {
  say(fmt::format("  filling {} with {} objects", to_text(master.which()), count));
  const Ice::CommunicatorHolder client{make_client()};
  run_all(count, fill_in_flight, add_object_calls(admins(client.communicator(), master, connections)));
}

void fill_adapters(const registry& master, std::uint64_t count) {
  say(fmt::format("  filling {} with {} adapters", to_text(master.which()), count));
  const Ice::CommunicatorHolder client{make_client()};
  run_all(count, fill_in_flight,
          register_adapter_calls(locator_registries(client.communicator(), master, connections), count));
}

}  // namespace muster::bench

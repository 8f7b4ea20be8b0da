#include "muster/cluster/options.hpp"

#include "muster/actor/actor_address.hpp"

namespace muster::cluster {
namespace {

result<void> check(bool fits, std::string_view name, std::size_t value, std::string_view allowed) {
  if (fits) return {};
  return fail(errc::invalid_argument, "the cluster option {} is {}; allowed is {}", name, value, allowed);
}

result<void> check_time(duration value, std::string_view name) {
  if (value > duration{0}) return {};
  return fail(errc::invalid_argument, "the cluster option {} is {} ms; allowed is anything above 0", name,
              std::chrono::duration_cast<std::chrono::milliseconds>(value).count());
}

}  // namespace

result<void> validate(const options& how) {
  if (auto named = actor_kernel::check_name("the name of a node", how.name, membership::name_bytes_max); !named) {
    return named;
  }
  for (const auto& checked : {
           check(how.frame_bytes_max >= frame_bytes_least && how.frame_bytes_max <= frame_bytes_most, "frame_bytes_max",
                 how.frame_bytes_max, "4096 to 268435456"),
           check(how.waiting_bytes_max >= how.frame_bytes_max, "waiting_bytes_max", how.waiting_bytes_max,
                 "frame_bytes_max or more"),
           check(how.arrived_bytes_max >= how.frame_bytes_max, "arrived_bytes_max", how.arrived_bytes_max,
                 "frame_bytes_max or more"),
           check(how.watches_per_node_max > 0, "watches_per_node_max", how.watches_per_node_max, "1 or more"),
           check(how.gap_frames_max > 0, "gap_frames_max", how.gap_frames_max, "1 or more"),
           check(how.gap_bytes_max > 0, "gap_bytes_max", how.gap_bytes_max, "1 or more"),
           check_time(how.gap_timeout, "gap_timeout"),
           check_time(how.watch_retry, "watch_retry"),
           check_time(how.unknown_node_timeout, "unknown_node_timeout"),
           check_time(how.reunion_timeout, "reunion_timeout"),
       }) {
    if (!checked) return checked;
  }
  return {};
}

}  // namespace muster::cluster

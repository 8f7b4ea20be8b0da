#include "muster/membership/options.hpp"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace muster::membership {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

result<void> text_within(std::string_view option, std::string_view value, std::size_t bytes_max) {
  if (value.empty() || value.size() > bytes_max) {
    return fail(errc::invalid_argument, "{} '{}' has {} bytes; 1 to {} are allowed", option, value.substr(0, 64),
                value.size(), bytes_max);
  }
  return {};
}

result<void> time_within(std::string_view option, duration value, duration min, duration max) {
  if (value < min || value > max) {
    return fail(errc::invalid_argument, "{} is {} ms; {} to {} ms are allowed", option,
                duration_cast<milliseconds>(value).count(), duration_cast<milliseconds>(min).count(),
                duration_cast<milliseconds>(max).count());
  }
  return {};
}

result<void> number_within(std::string_view option, std::size_t value, std::size_t min, std::size_t max) {
  if (value < min || value > max) {
    return fail(errc::invalid_argument, "{} is {}; {} to {} are allowed", option, value, min, max);
  }
  return {};
}

result<void> identity_is_sound(const options& how) {
  if (auto ok = text_within("name", how.name, name_bytes_max); !ok) return ok;
  if (auto ok = text_within("address", how.address, address_bytes_max); !ok) return ok;
  if (auto ok = text_within("cluster", how.cluster, cluster_bytes_max); !ok) return ok;
  if (how.meta.size() > meta_bytes_max) {
    return fail(errc::invalid_argument, "meta has {} bytes; up to {} are allowed", how.meta.size(), meta_bytes_max);
  }
  if (how.incarnation.value() == 0) {
    return fail(errc::invalid_argument, "incarnation is 0; any other number is allowed, see make_incarnation");
  }
  if (how.seeds.size() > how.seeds_max) {
    return fail(errc::invalid_argument, "seeds has {} addresses; up to {} are allowed", how.seeds.size(),
                how.seeds_max);
  }
  if (how.invited_by.size() > address_bytes_max) {
    return fail(errc::invalid_argument, "invited_by has {} bytes; up to {} are allowed", how.invited_by.size(),
                address_bytes_max);
  }
  for (const auto& seed : how.seeds) {
    if (auto ok = text_within("seeds", seed, address_bytes_max); !ok) return ok;
  }
  return {};
}

}  // namespace

result<void> validate(const options& how) {
  if (auto ok = identity_is_sound(how); !ok) return ok;

  constexpr duration shortest = milliseconds{1};
  constexpr duration longest = std::chrono::hours{24};
  struct bounded_time {
    std::string_view option;
    duration value;
  };
  for (const auto& [option, value] :
       {bounded_time{"probe_interval", how.probe_interval}, bounded_time{"probe_timeout", how.probe_timeout},
        bounded_time{"suspicion_time", how.suspicion_time}, bounded_time{"removal_timeout", how.removal_timeout},
        bounded_time{"pause_threshold", how.pause_threshold}, bounded_time{"gossip_interval", how.gossip_interval},
        bounded_time{"sync_interval", how.sync_interval}, bounded_time{"heal_interval", how.heal_interval},
        bounded_time{"join_retry_min", how.join_retry_min}, bounded_time{"join_retry_max", how.join_retry_max},
        bounded_time{"leave_timeout", how.leave_timeout}, bounded_time{"majority_delay", how.majority_delay}}) {
    if (auto ok = time_within(option, value, shortest, longest); !ok) return ok;
  }
  if (auto ok = time_within("removed_horizon", how.removed_horizon, std::chrono::seconds{1}, 30 * longest); !ok) {
    return ok;
  }
  if (how.join_retry_max < how.join_retry_min) {
    return fail(errc::invalid_argument, "join_retry_max is shorter than join_retry_min; it must not be");
  }
  if (how.keep_majority && how.majority_delay >= how.removal_timeout) {
    return fail(errc::invalid_argument,
                "majority_delay is not shorter than removal_timeout; with keep_majority it must be, because the "
                "members before a split are counted");
  }
  if (!(how.suspicion_max_factor >= 1.0 && how.suspicion_max_factor <= 100.0)) {
    return fail(errc::invalid_argument, "suspicion_max_factor is {}; 1 to 100 are allowed", how.suspicion_max_factor);
  }

  struct bounded_number {
    std::string_view option;
    std::size_t value;
    std::size_t min;
    std::size_t max;
  };
  for (const auto& [option, value, min, max] :
       {bounded_number{"indirect_probes", how.indirect_probes, 0, 16},
        bounded_number{"suspicion_confirmations", how.suspicion_confirmations, 0, 16},
        bounded_number{"awareness_max", how.awareness_max, 0, 32},
        bounded_number{"gossip_fanout", how.gossip_fanout, 1, 64},
        bounded_number{"retransmit_factor", how.retransmit_factor, 1, 64},
        bounded_number{"message_bytes_max", how.message_bytes_max, 1024, any_message_bytes_max},
        bounded_number{"chunk_bytes_max", how.chunk_bytes_max, 2048, any_message_bytes_max},
        bounded_number{"members_max", how.members_max, 1, 1'000'000},
        bounded_number{"removed_max", how.removed_max, 1, 1'000'000},
        bounded_number{"former_addresses_max", how.former_addresses_max, 1, 1'000'000},
        bounded_number{"seeds_max", how.seeds_max, 1, 1024}}) {
    if (auto ok = number_within(option, value, min, max); !ok) return ok;
  }
  return {};
}

}  // namespace muster::membership

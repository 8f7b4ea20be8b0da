#include "muster/gossip/options.hpp"

#include <string_view>

#include "muster/gossip/message_codec.hpp"

namespace muster::gossip {

namespace {

struct bound {
  std::string_view name;
  std::size_t value;
  std::size_t least;
  std::size_t most;
};

struct span_of_time {
  std::string_view name;
  duration value;
  duration least;
};

}  // namespace

result<void> options::check() const {
  using std::chrono::milliseconds;
  constexpr std::size_t many = std::size_t{1} << 31U;
  const bound bounds[] = {
      {"push_peers_max", push_peers_max, 1, many},
      {"push_fan_out", push_fan_out, 1, 1024},
      {"relay_fan_out", relay_fan_out, 2, 1024},
      {"registrations_per_origin_max", registrations_per_origin_max, 1, many},
      {"registrations_max", registrations_max, 1, many},
      {"keys_max", keys_max, 1, many},
      {"key_bytes_max", key_bytes_max, 1, 2048},
      {"path_bytes_max", path_bytes_max, 1, 2048},
      {"type_bytes_max", type_bytes_max, 1, 2048},
      {"node_bytes_max", node_bytes_max, 1, 1024},
      // The largest single part of any message must fit, and a message is far below what a transport takes.
      {"message_bytes_max", message_bytes_max, 8192, std::size_t{64} * 1024 * 1024},
      {"reply_bytes_max", reply_bytes_max, message_bytes_max, many},
      {"log_operations_max", log_operations_max, 0, many},
      {"log_bytes_max", log_bytes_max, 0, many},
      {"transfer_window_chunks", transfer_window_chunks, 1, 1024},
      {"transfers_max", transfers_max, 1, 1024},
      {"forgotten_max", forgotten_max, 1, many},
  };
  for (const bound& one : bounds) {
    if (one.value < one.least || one.value > one.most) {
      return fail(errc::invalid_argument, "{} is {}; allowed is {} to {}", one.name, one.value, one.least, one.most);
    }
  }
  const span_of_time spans[] = {
      {"gossip_interval", gossip_interval, milliseconds{1}},
      {"forgotten_horizon", forgotten_horizon, 10 * gossip_interval},
      {"want_timeout", want_timeout, milliseconds{1}},
      {"transfer_timeout", transfer_timeout, milliseconds{1}},
      {"frozen_timeout", frozen_timeout, milliseconds{1}},
  };
  for (const span_of_time& one : spans) {
    if (one.value < one.least || one.value > std::chrono::hours{24 * 365}) {
      const auto shown = [](duration value) { return std::chrono::duration_cast<milliseconds>(value).count(); };
      return fail(errc::invalid_argument, "{} is {} ms; allowed is {} ms to a year", one.name, shown(one.value),
                  shown(one.least));
    }
  }
  return {};
}

}  // namespace muster::gossip

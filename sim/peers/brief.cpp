#include <array>
#include <string_view>

#include <fmt/format.h>

#include "muster/cluster/actor_messages.hpp"
#include "muster/cluster/frame.hpp"
#include "sim/peers/node.hpp"

namespace muster::sim::peers {

namespace {

// The second byte of each payload, as docs/protocols/ has them.
constexpr std::array<std::string_view, 11> membership_kinds{
    "?", "ping", "ack", "ping_request", "nack", "gossip", "hello", "refused", "digest", "records", "removed_notice"};
constexpr std::array<std::string_view, 9> gossip_kinds{"update", "root",  "buckets",     "digest",   "greeting",
                                                       "want",   "chunk", "want_chunks", "forgotten"};

constexpr std::array<std::string_view, 10> actor_kinds{"tell",          "undelivered", "watch",     "watching",
                                                       "watch_refused", "unwatch",     "unwatched", "ended",
                                                       "ended_heard",   "stop_request"};

template <std::size_t N>
std::string_view kind(const std::array<std::string_view, N>& names, byte_view payload) {
  return payload.size() > 1 && payload[1] < N ? names[payload[1]] : "?";
}

}  // namespace

std::string brief(const bytes& frame) {
  const auto read = cluster::decode_frame(frame);
  if (!read) return fmt::format("{} bytes that are no frame", frame.size());
  std::string_view what = "?";
  if (read->header.about == cluster::channel::actors) {
    const auto envelope = cluster::decode_actor_envelope(read->payload);
    if (envelope) what = actor_kinds.at(envelope->what.index());
  }
  if (read->header.about == cluster::channel::membership) what = kind(membership_kinds, read->payload);
  if (read->header.about == cluster::channel::gossip) what = kind(gossip_kinds, read->payload);
  return fmt::format("{} {} of {}#{}, {} B", to_string(read->header.about), what, read->header.name,
                     read->header.incarnation, frame.size());
}

}  // namespace muster::sim::peers

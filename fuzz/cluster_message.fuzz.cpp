// What a node of a cluster takes from others: frames, and in them messages of membership, of gossip and between actors.
// Whatever can be read can be written, and is then read as the same.
//
// The first byte of an input says which of them the rest is.

#include <cstddef>
#include <cstdint>

#include "muster/base/invariant.hpp"
#include "muster/cluster/actor_messages.hpp"
#include "muster/cluster/frame.hpp"
#include "muster/gossip/message_codec.hpp"
#include "muster/membership/message_codec.hpp"

namespace {

using muster::byte_view;
using muster::bytes;
namespace cluster = muster::cluster;
namespace gossip = muster::gossip;
namespace membership = muster::membership;

void read_membership(byte_view content) {
  const auto one = membership::decode(content);
  if (!one) {
    return;
  }
  const bytes encoded = membership::encode(*one);  // whose bytes the second one's views are of
  const auto again = membership::decode(encoded);
  MUSTER_INVARIANT(again.has_value() && *again == *one, "what was encoded is read as the same");
}

void read_gossip(byte_view content) {
  const auto one = gossip::decode(content);
  if (!one) {
    return;
  }
  const auto again = gossip::decode(gossip::encode(*one));
  MUSTER_INVARIANT(again.has_value() && *again == *one, "what was encoded is read as the same");
}

void read_actors(byte_view content) {
  const auto one = cluster::decode_actor_envelope(content);
  if (!one) {
    return;
  }
  const auto again = cluster::decode_actor_envelope(cluster::encode(*one));
  MUSTER_INVARIANT(again.has_value() && *again == *one, "what was encoded is read as the same");
}

void read_frame(byte_view content) {
  const auto one = cluster::decode_frame(content);
  if (!one) {
    return;
  }
  const bytes again = cluster::encode_frame(one->header, one->payload);
  const auto twice = cluster::decode_frame(again);
  MUSTER_INVARIANT(twice.has_value() && twice->header.name == one->header.name &&
                       twice->header.incarnation == one->header.incarnation &&
                       twice->payload.size() == one->payload.size(),
                   "what was encoded is read as the same");
  switch (one->header.about) {
    case cluster::channel::membership: read_membership(one->payload); return;
    case cluster::channel::gossip: read_gossip(one->payload); return;
    case cluster::channel::actors: read_actors(one->payload); return;
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const byte_view content{data + 1, size - 1};
  switch (data[0] % 4) {
    case 0: read_frame(content); break;
    case 1: read_membership(content); break;
    case 2: read_gossip(content); break;
    default: read_actors(content); break;
  }
  return 0;
}

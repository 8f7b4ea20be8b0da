// What a member of the cluster may do to a node: it joins properly, and then sends whatever the input says, in frames
// of its own name, while time goes by. The node may complain; it must keep its own registrations and its members in
// order, and must not end.
//
// The input is a sequence of steps: what a frame is about, its length, its content.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "muster/base/invariant.hpp"
#include "muster/base/prng.hpp"
#include "muster/cluster/node_core.hpp"
#include "muster/membership/message_codec.hpp"

namespace {

using muster::byte_view;
using muster::bytes;
namespace cluster = muster::cluster;
namespace gossip = muster::gossip;
namespace membership = muster::membership;

constexpr std::uint64_t sender_life = 5;

bytes frame_of_sender(cluster::channel about, byte_view payload) {
  return cluster::encode_frame(
      {.about = about, .cluster = cluster::cluster_key("fuzz"), .name = "B", .incarnation = sender_life}, payload);
}

bytes greeting() {
  return membership::encode(
      {.from = {.name = "B", .incarnation = membership::incarnation{sender_life}, .to = {}},
       .what = membership::hello{.purpose = membership::hello_purpose::introduce,
                                 .sequence = 1,
                                 .who = {.cluster = "fuzz", .versions = {1, 1}, .address = "at-B", .meta = {}},
                                 .root = 0},
       .news = {}});
}

class target {
 public:
  target() {
    cluster::options how;
    how.name = "A";
    how.cluster = "fuzz";
    how.gossip.registrations_per_origin_max = 64;
    auto made = cluster::node_core::make(how, "at-A", 1'000'000, random_, now_);
    MUSTER_INVARIANT(made.has_value(), "the options make sense");
    core_ = *std::move(made);
    MUSTER_INVARIANT(core_->add("own", own_).has_value(), "the first registration has room");
    take(cluster::channel::membership, greeting());
    MUSTER_INVARIANT(core_->is_member({"B", muster::node_incarnation{sender_life}}), "who introduces itself is let in");
  }

  void take(cluster::channel about, byte_view payload) {
    now_ += std::chrono::milliseconds{50};
    core_->handle_frame(frame_of_sender(about, payload), "B", now_);
    if (core_->next_deadline() <= now_) {
      core_->handle_tick(now_);
    }
    // What comes to be delivered is refused, as of an actor that has stopped.
    for (int turn = 0; turn < 3; ++turn) {
      const auto effects = core_->poll_ready(now_);
      for (const auto& one : effects.deliveries) {
        core_->handle_undelivered(one, cluster::fate::stopped);
      }
    }
  }

  void check() const {
    std::size_t own = 0;
    core_->registrations().for_each_entry("own", [&](const auto& origin, const auto& what) {
      own += origin.node.view() == "A" && what == own_ ? 1U : 0U;
    });
    MUSTER_INVARIANT(own == 1, "nobody else changes a node's registrations");
    const auto members = core_->members();
    MUSTER_INVARIANT(members->find(core_->self()) != nullptr, "a node is among its members");
  }

 private:
  muster::prng random_{1};
  muster::instant now_{std::chrono::seconds{1}};
  const gossip::entry own_{gossip::shared_text{"/user/own"}, 1, gossip::shared_text{"t"}};
  std::unique_ptr<cluster::node_core> core_;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target one;
  byte_view rest{data, size};
  while (rest.size() >= 2) {
    const auto about = static_cast<cluster::channel>(rest[0] % 3);
    const std::size_t length = std::min<std::size_t>(rest[1], rest.size() - 2);
    one.take(about, rest.subspan(2, length));
    rest = rest.subspan(2 + length);
  }
  one.check();
  return 0;
}

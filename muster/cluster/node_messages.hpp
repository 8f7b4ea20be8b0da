#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/remote.hpp"
#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/cluster/actor_messages.hpp"
#include "muster/cluster/members.hpp"
#include "muster/cluster/registrations.hpp"

/// What the actor of a node is told. Inside the folder only.
///
/// What `teller_may_handle` is on the way of a single registration from one node to another, and is handled on the
/// threads that bring it. All else may call what users gave (codecs, functions), or ends the transport, which waits for
/// those who bring frames: never on their threads.
namespace muster::cluster {

class node_core;

/// Bytes that wait in a mailbox, counted for as long as they do.
class counted_bytes {
 public:
  counted_bytes(std::shared_ptr<std::atomic<std::size_t>> in, std::size_t count) : in_{std::move(in)}, count_{count} {
    in_->fetch_add(count_, std::memory_order_relaxed);
  }
  counted_bytes(counted_bytes&& other) noexcept : in_{std::move(other.in_)}, count_{other.count_} {}
  counted_bytes& operator=(counted_bytes&&) = delete;
  ~counted_bytes() {
    if (in_) in_->fetch_sub(count_, std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> in_;
  std::size_t count_;
};

namespace node_input {

struct frame_came {
  static constexpr bool dies_with_actor = true;
  bytes frame;
  std::string authenticated_name;
  counted_bytes waits;
};
/// A small frame of gossip.
struct gossip_came {
  static constexpr bool dies_with_actor = true;
  static constexpr bool teller_may_handle = true;
  bytes frame;
  std::string authenticated_name;
  counted_bytes waits;
};
struct connection_broke {
  static constexpr bool dies_with_actor = true;
  std::string address;
  bool was_refused{false};
};
/// A small frame of membership, which is not counted among those that wait.
struct membership_came {
  bytes frame;
  std::string authenticated_name;
};
using urgent = std::variant<membership_came, connection_broke>;
/// Something urgent waits, which is handled before any message.
struct look_up {
  static constexpr bool dies_with_actor = true;
};
struct tell_far {
  actor_address to;
  std::string name;
  bytes content;
  counted_bytes waits;
};
struct watch_far {
  death_watch who;
  bool is_wanted{true};
};
struct stop_far {
  actor_address which;
  stop_when when{};
};
struct local_ended {
  static constexpr bool dies_with_actor = true;
  actor_key which;
};
struct run_here {
  std::function<void(registrations&)> what;
};
/// Likewise, and it calls nothing of a user's.
struct own_changes {
  static constexpr bool teller_may_handle = true;
  std::function<void(registrations&)> what;
};
/// Goes on with withdrawing what this node has registered.
struct withdraw_more {
  static constexpr bool dies_with_actor = true;
};
struct show {
  std::function<void(const node_core&)> to;
};
struct subscription {
  actor_ref<member_news> who;
  bool is_wanted{true};
};
struct gossip_interval {
  duration wanted{};
};
struct leave {
  std::function<void()> when_left;
};
/// The end of a turn: goes behind all that waits already.
struct settle {
  static constexpr bool dies_with_actor = true;
  static constexpr bool teller_may_handle = true;
};
/// The core has ended: now the transport may, and those who wait for it are told.
struct core_ended {
  static constexpr bool dies_with_actor = true;
};
struct tick {
  static constexpr bool dies_with_actor = true;
};

}  // namespace node_input

using node_message =
    std::variant<node_input::frame_came, node_input::gossip_came, node_input::look_up, node_input::tell_far,
                 node_input::watch_far, node_input::stop_far, node_input::local_ended, node_input::run_here,
                 node_input::own_changes, node_input::withdraw_more, node_input::show, node_input::subscription,
                 node_input::gossip_interval, node_input::leave, node_input::settle, node_input::core_ended,
                 node_input::tick>;

}  // namespace muster::cluster

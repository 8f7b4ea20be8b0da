#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "muster/actor/actor_system.hpp"
#include "muster/base/prng.hpp"
#include "muster/cluster/inbound_codecs.hpp"
#include "muster/cluster/node_core.hpp"
#include "muster/cluster/node_messages.hpp"
#include "muster/cluster/node_state.hpp"
#include "muster/cluster/registrations.hpp"

namespace muster::cluster {

/// The chance that a node depends on, and the node.
struct node_parts {
  std::unique_ptr<prng> random;
  std::unique_ptr<node_core> core;
};

/// The actor /system/cluster/node: the strand that owns a `node_core`, and its driver. It hands every input to the core
/// and takes effects when all that waited has been handled: many changes make one message. Inside the folder only.
class node_actor final : public actor<node_message>, private registrations {
 public:
  node_actor(std::reference_wrapper<actor_system> system, std::shared_ptr<node_state> state,
             std::shared_ptr<const inbound_codecs> codecs, node_parts parts);

  void on_start(context& self) override;
  void receive(context& self, node_message message) override;
  void on_stop(context& self) override;

 private:
  // What is told to it.
  void handle(context& self, node_input::frame_came& what);
  void handle(context& self, node_input::gossip_came& what);
  void handle(context& self, node_input::look_up& what);
  void handle(context& self, node_input::tell_far& what);
  void handle(context& self, node_input::watch_far& what);
  void handle(context& self, node_input::stop_far& what);
  void handle(context& self, node_input::local_ended& what);
  void handle(context& self, node_input::run_here& what);
  void handle(context& self, node_input::own_changes& what);
  void handle(context& self, node_input::withdraw_more& what);
  void handle(context& self, node_input::show& what);
  void handle(context& self, node_input::subscription& what);
  void handle(context& self, node_input::gossip_interval& what);
  void handle(context& self, node_input::leave& what);
  void handle(context& self, node_input::settle& what);
  void handle(context& self, node_input::core_ended& what);
  void handle(context& self, node_input::tick& what);

  /// Membership and time do not wait for what is in the mailbox: its probes are to be answered, and its timeouts to be
  /// seen, while a table of registrations or a flood of messages comes in.
  void handle_urgent(context& self);
  void handle(context& self, const node_input::membership_came& what);
  void handle(context& self, const node_input::connection_broke& what);

  // What the core wants.
  void settle(context& self);
  void take(context& self, ready effects);
  void send(const std::vector<outgoing>& frames);
  void deliver(const delivery& what);
  void publish(context& self, ready& effects);
  void end_ways_out();
  void welcome_observers();
  void open_ways(const member_snapshot& now);
  void lose(const lost_letter& what) const;
  void arm(context& self);

  // registrations
  [[nodiscard]] actor_node self() const override { return core_->self(); }
  [[nodiscard]] result<bool> add(const gossip::shared_text& key, const gossip::entry& what) override;
  bool remove(const gossip::shared_text& key, const gossip::entry& what) override;
  void withdraw_own() override;
  void for_each_entry(std::string_view key,
                      const std::function<void(const gossip::origin_id&, const gossip::entry&)>& visit) const override;
  void for_each_own(const std::function<void(const gossip::shared_text&, const gossip::entry&)>& visit) const override {
    core_->registrations().for_each_registration(core_->registrations().self().node, visit);
  }
  [[nodiscard]] bool is_reachable(const actor_node& which) const override { return core_->is_reachable(which); }
  void observe(std::shared_ptr<registration_observer> who) override { newcomers_.push_back(std::move(who)); }
  void stop_observing(const registration_observer& who) override;

  actor_system& system_;
  const std::shared_ptr<node_state> state_;
  const std::shared_ptr<const inbound_codecs> codecs_;
  const std::unique_ptr<prng> random_;
  const std::unique_ptr<node_core> core_;

  std::vector<std::shared_ptr<registration_observer>> observers_;
  std::vector<std::shared_ptr<registration_observer>> newcomers_;  // observers from the end of this turn on
  std::vector<actor_ref<member_news>> subscribers_;
  std::vector<std::function<void()>> when_left_;
  std::shared_ptr<const member_snapshot> members_;
  /// Of messages that were taken in this turn, by address.
  std::unordered_map<std::string, std::size_t> unsent_bytes_;
  /// What was posted while `is_withdrawing_`, in order.
  std::deque<std::function<void(registrations&)>> waiting_to_run_;
  bool is_withdrawing_{false};
  bool is_settling_{false};  // `settle` is on its way
  bool has_left_{false};
  timer_id timer_;
  instant armed_for_{instant_never};
};

}  // namespace muster::cluster

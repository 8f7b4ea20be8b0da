#pragma once

#include <memory>
#include <utility>

#include "muster/actor/remote.hpp"
#include "muster/cluster/node_state.hpp"

namespace muster::cluster {

/// The way from this system's actors to those of other members: checks on the caller's thread what can be checked
/// there, and leaves the rest to the node's turn. What one thread tells one actor keeps its order, because the node's
/// mailbox does. Inside the folder only.
class route final : public remote_route {
 public:
  explicit route(std::shared_ptr<node_state> state) noexcept : state_{std::move(state)} {}

  [[nodiscard]] result<void> tell(const actor_address& to, const outbound_message& what) override;
  void watch(const death_watch& who) override;
  void unwatch(const death_watch& who) override;
  void stop(const actor_address& which, stop_when when) override;

 private:
  const std::shared_ptr<node_state> state_;
};

/// Where the transport of a node puts what comes in. Inside the folder only.
class frame_inlet final : public transport_receiver {
 public:
  explicit frame_inlet(std::shared_ptr<node_state> state) noexcept : state_{std::move(state)} {}

  void handle_frame(bytes frame, std::string_view authenticated_name) override;
  void handle_connection_lost(std::string_view address) override;
  void handle_connection_refused(std::string_view address) override;

 private:
  void handle_break(std::string_view address, bool was_refused);

  const std::shared_ptr<node_state> state_;
};

}  // namespace muster::cluster

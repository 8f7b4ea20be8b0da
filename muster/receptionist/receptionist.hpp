#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "muster/actor/actor_system.hpp"
#include "muster/receptionist/any_listing.hpp"
#include "muster/receptionist/desk.hpp"
#include "muster/receptionist/directory.hpp"
#include "muster/receptionist/listing.hpp"
#include "muster/receptionist/messages.hpp"
#include "muster/receptionist/options.hpp"
#include "muster/receptionist/receptionist_actor.hpp"

namespace muster::cluster {
class node;
}  // namespace muster::cluster

namespace muster::receptionist {

/// The receptionist of an actor system: a small value, copied and used on any thread. It may outlive the system.
class handle {
 public:
  handle(std::shared_ptr<desk> of, actor_ref<message> whom) : desk_{std::move(of)}, ref_{std::move(whom)} {}

  /// `register_`, `deregister`, `find`, `subscribe` or `unsubscribe`.
  void tell(request what) const {
    std::visit([this](auto& one) { ref_.tell(message{std::move(one)}); }, what);
  }
  /// To be told, asked or watched as any other actor.
  [[nodiscard]] actor_ref<request> ref() const { return ref_; }

  /// The current listing, without a message: what was valid at the end of the receptionist's last turn. On any thread;
  /// never waits. Whoever has got `registered` finds the actor here.
  template <typename T>
  [[nodiscard]] listing<T> lookup(const service_key<T>& key) const {
    return listing<T>{key, desk_->shown->find(key)};
  }
  /// Likewise, with registrations of every type.
  [[nodiscard]] any_listing lookup(const any_key& key) const { return {key, desk_->shown->find(key)}; }

  /// For routers: a message of this type found nobody.
  void publish_unrouted(const actor_kernel::message_type& type) const;

  [[nodiscard]] receptionist::counters counters() const;
  [[nodiscard]] const receptionist::settings& settings() const noexcept { return desk_->how; }

  friend bool operator==(const handle& a, const handle& b) { return a.ref_ == b.ref_; }

 private:
  std::shared_ptr<desk> desk_;
  actor_ref<message> ref_;
};

/// Starts the receptionist of the system, at /system/cluster/receptionist, as that of a node in a cluster, or gives the
/// one that it has; whose options then stay as they are. With a null node it is for this node alone.
///
/// The node gossips at the interval that the options or the configuration name, unless it was given another one when it
/// joined. `invalid_argument` for options that cannot be; `conflict` when the receptionist was started for this node
/// alone, or with another node, or when its gossip interval contradicts the node's; `unavailable` when the system is
/// stopping. Any thread.
[[nodiscard]] result<handle> try_start(actor_system& system, const std::shared_ptr<cluster::node>& joined,
                                       const options& how = {});
/// Likewise, with registrations kept elsewhere: for tests, and for other kinds of clusters.
[[nodiscard]] result<handle> try_start(actor_system& system, std::shared_ptr<directory> registrations,
                                       const options& how = {});
[[nodiscard]] inline result<handle> try_start(actor_system& system, std::nullptr_t, const options& how = {}) {
  return try_start(system, std::shared_ptr<directory>{}, how);
}

/// Likewise, but these throw `muster::refused`.
handle start(actor_system& system, const std::shared_ptr<cluster::node>& joined, const options& how = {});
handle start(actor_system& system, std::shared_ptr<directory> registrations, const options& how = {});
inline handle start(actor_system& system, std::nullptr_t, const options& how = {}) {
  return start(system, std::shared_ptr<directory>{}, how);
}

}  // namespace muster::receptionist

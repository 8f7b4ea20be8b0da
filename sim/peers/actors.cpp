#include "sim/peers/actors.hpp"

#include <utility>

#include <fmt/format.h>

#include "muster/base/invariant.hpp"

namespace muster::sim::peers {

namespace {

using actor_kernel::endpoint;
using actor_kernel::endpoint_ptr;

/// Belongs to no actor system, takes no messages and is not to be stopped.
class bare_endpoint : public endpoint {
 public:
  explicit bare_endpoint(actor_address of)
      : endpoint{std::move(of.path), of.incarnation, local_hash(of.incarnation)}, node_{std::move(of.node)} {}

  [[nodiscard]] actor_node node() const override { return node_; }
  [[nodiscard]] bool is_remote() const noexcept override { return true; }
  [[nodiscard]] const actor_kernel::system_core& core() const noexcept override {
    MUSTER_INVARIANT(false, "no actor system is behind the actors of the simulator");
  }
  [[nodiscard]] actor_kernel::erased_acceptor find_acceptor(const actor_kernel::message_type&) const noexcept override {
    return nullptr;
  }
  [[nodiscard]] bool is_stopped() const noexcept override { return false; }
  void add_watcher(const endpoint_ptr&) override {}
  void remove_watcher(const endpoint_ptr&) override {}

 private:
  const actor_node node_;
};

class watcher final : public bare_endpoint {
 public:
  watcher(watch_number number, std::shared_ptr<std::vector<watch_number>> heard)
      : bare_endpoint{{{}, "/user/watcher", actor_incarnation{number}}}, number_{number}, heard_{std::move(heard)} {}

  void handle_terminated(const endpoint_ptr&) override { heard_->push_back(number_); }

 private:
  const watch_number number_;
  const std::shared_ptr<std::vector<watch_number>> heard_;
};

std::string path_of(std::size_t which) { return fmt::format("/user/watched-{}", which); }

}  // namespace

actors::actors(std::size_t watchable) : present_(watchable, 1), heard_{std::make_shared<std::vector<watch_number>>()} {}

cluster::actor_key actors::present(std::size_t which) const { return {path_of(which), present_[which]}; }

cluster::actor_key actors::stop(std::size_t which) {
  cluster::actor_key out = present(which);
  ++present_[which];
  return out;
}

bool actors::follow(const cluster::local_watch& what) {
  if (!what.is_wanted) {
    followed_.erase(what.whom);
    return false;
  }
  followed_.insert(what.whom);
  for (std::size_t which = 0; which < present_.size(); ++which) {
    if (what.whom == present(which)) return false;
  }
  return true;
}

death_watch actors::begin_watch(watch_number number, const actor_address& whom) {
  death_watch made{endpoint_ptr{new bare_endpoint{whom}}, endpoint_ptr{new watcher{number, heard_}}};
  watches_.emplace(number, made);
  return made;
}

std::vector<watch_number> actors::take_heard() { return std::exchange(*heard_, {}); }

}  // namespace muster::sim::peers

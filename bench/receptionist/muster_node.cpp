#include "bench/receptionist/muster_node.hpp"

#include "muster/os/actor_pool.hpp"

namespace muster::bench {

struct muster_node::parts {
  explicit parts(const muster_node_options& how)
      : system{"bench", {.runs_on = os::actor_pool::make({}).value(), .node = {.name = how.name}}},
        desk{receptionist::start(system, nullptr)} {}

  actor_system system;
  receptionist::handle desk;
};

muster_node::muster_node(const muster_node_options& how) : parts_{std::make_unique<parts>(how)} {}
muster_node::~muster_node() = default;

actor_system& muster_node::system() noexcept { return parts_->system; }
const receptionist::handle& muster_node::desk() const noexcept { return parts_->desk; }
void muster_node::await_members(std::size_t) {}
traffic muster_node::sent() const { return {}; }

}  // namespace muster::bench

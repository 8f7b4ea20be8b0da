#include "muster/actor/actor_system.hpp"

#include <utility>
#include <variant>

namespace muster {
namespace {

std::shared_ptr<actor_kernel::system_core> make_core(std::string name, const actor_system_options& how) {
  if (auto checked = actor_kernel::check_name("the name of an actor system", name); !checked) {
    throw refused{std::move(checked).error()};
  }
  if (how.runs_on == nullptr) {
    throw refused{{errc::invalid_argument, fmt::format("the actor system '{}' has nothing to run on", name)}};
  }
  if (how.batch_max == 0 || how.dead_letter_window <= duration{0} || how.shutdown_timeout < duration{0}) {
    throw refused{{errc::invalid_argument,
                   fmt::format("the actor system '{}' needs a batch of at least 1, a window for dead letters above 0 "
                               "and a shutdown timeout of 0 or more",
                               name)}};
  }
  actor_kernel::system_core::options inner;
  inner.node = how.node;
  if (inner.node.name.empty()) inner.node.name = name;
  inner.name = std::move(name);
  inner.log = how.log;
  inner.batch_max = how.batch_max;
  inner.letters = {.log = how.log,
                   .now = [on = how.runs_on.get()] { return on->now(); },
                   .log_lines_max = how.dead_letter_lines_max,
                   .log_window = how.dead_letter_window};
  return std::make_shared<actor_kernel::system_core>(std::move(inner), *how.runs_on);
}

}  // namespace

actor_system::actor_system(std::string name, const actor_system_options& how)
    : runs_on_{how.runs_on}, shutdown_timeout_{how.shutdown_timeout}, core_{make_core(std::move(name), how)} {}

actor_system::~actor_system() {
  // What is late has been logged by its name.
  (void)core_->shutdown(shutdown_timeout_);
}

result<actor_kernel::endpoint_ptr> actor_system::find_on_this_node(const actor_address& address) const {
  if (address.node != core_->node()) {
    return fail(errc::invalid_argument, "{} is not an address on this node, '{}'", address, core_->node().name);
  }
  return core_->find(address.path, address.incarnation);
}

result<any_ref> actor_system::resolve(const actor_address& address) const {
  auto found = find_on_this_node(address);
  if (!found) return fail(std::move(found).error());
  if (*found == nullptr) *found = new actor_kernel::departed<std::monostate>{core_, address};
  return actor_kernel::refs::any(*std::move(found));
}

}  // namespace muster

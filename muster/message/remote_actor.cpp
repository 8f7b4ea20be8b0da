#include "muster/message/remote_actor.hpp"

#include <algorithm>

namespace muster::message {
namespace {

// As a node's frames have them (docs/protocols/cluster.md).
constexpr std::size_t node_name_bytes_max = 255;
constexpr std::size_t path_bytes_max = 4096;

/// An actor of another node of which is not known what it takes.
class untyped_actor final : public actor_kernel::remote_target {
 public:
  untyped_actor(const std::shared_ptr<actor_kernel::system_core>& system, const actor_address& of)
      : remote_target{system, of} {}
  [[nodiscard]] actor_kernel::erased_acceptor find_acceptor(const actor_kernel::message_type&) const noexcept override {
    return nullptr;
  }
};

}  // namespace

void write_ref(writer& into, const any_ref& what) {
  if (!what) return into.string({});
  const actor_address address = what.address();
  into.string(address.path);
  into.u64(address.incarnation.value());
  into.string(address.node.name);
  into.u64(address.node.incarnation.value());
}

actor_address read_address(reader& from) {
  actor_address out;
  out.path = from.string();
  if (out.path.empty()) return {};
  out.incarnation = actor_incarnation{from.u64()};
  out.node.name = from.string();
  out.node.incarnation = node_incarnation{from.u64()};
  if (!from.failed() &&
      (out.path.front() != '/' || out.path.size() > path_bytes_max || out.node.name.size() > node_name_bytes_max ||
       !actor_kernel::check_name("a node", out.node.name))) {
    from.set_failed();
  }
  return from.failed() ? actor_address{} : out;
}

const actor_system* system_of(reader& from) noexcept {
  if (from.system() == nullptr) from.set_failed();
  return from.system();
}

any_ref read_any_ref(reader& from) {
  const actor_address address = read_address(from);
  if (address.path.empty()) return {};
  const actor_system* const system = system_of(from);
  if (system == nullptr) return {};
  if (address.node != system->node()) {
    return actor_kernel::refs::any(actor_kernel::endpoint_ptr{new untyped_actor{system->core(), address}});
  }
  const auto own = system->resolve(address);
  if (!own) from.set_failed();
  return own ? *own : any_ref{};
}

}  // namespace muster::message

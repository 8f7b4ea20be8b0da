#include "muster/actor/endpoint.hpp"

#include "muster/base/invariant.hpp"

namespace muster::actor_kernel {

bool same(const endpoint& a, const endpoint& b) {
  if (&a == &b) return true;
  return a.incarnation() == b.incarnation() && a.hash() == b.hash() && order(a, b) == std::strong_ordering::equal;
}

std::strong_ordering order(const endpoint& a, const endpoint& b) {
  if (&a == &b) return std::strong_ordering::equal;
  // Names of nodes need not be looked up among the actors of one system, which most comparisons are between.
  if (a.is_remote() || b.is_remote() || &a.core() != &b.core()) {
    if (const auto nodes = a.node() <=> b.node(); nodes != 0) return nodes;
  }
  if (const auto paths = a.path() <=> b.path(); paths != 0) return paths;
  return a.incarnation() <=> b.incarnation();
}

result<void> explain(told outcome, const endpoint& to) {
  switch (outcome) {
    case told::accepted: return {};
    case told::full:
      return fail(errc::limit_exceeded, "as many messages wait for {} as may; this one was not taken", to.address());
    case told::stopped: return fail(errc::unavailable, "{} has stopped", to.address());
    case told::unsendable:
      return fail(errc::unsupported,
                  "messages of this type stay in their process, and {} lives in another one: they need "
                  "a message_name and members that can be written",
                  to.address());
    case told::too_large:
      return fail(errc::limit_exceeded,
                  "the message is larger than one for {}, on another node, may be (cluster.frame-bytes-max)",
                  to.address());
    case told::unreachable: return fail(errc::unavailable, "no way leads to the node of {} now", to.address());
  }
  MUSTER_INVARIANT(false, "every outcome has been named");
}

}  // namespace muster::actor_kernel

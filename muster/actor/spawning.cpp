#include "muster/actor/spawning.hpp"

#include <utility>

#include "muster/actor/system_core.hpp"
#include "muster/actor/typed_cell.hpp"

namespace muster::actor_kernel {
namespace {

result<void> check_names(std::string_view names, cell::level at) {
  // Only the system's own actors have paths of several parts.
  while (at == cell::level::system) {
    const auto slash = names.find('/');
    if (slash == std::string_view::npos) break;
    if (auto checked = check_name("the name of an actor", names.substr(0, slash)); !checked) return checked;
    names.remove_prefix(slash + 1);
  }
  return check_name("the name of an actor", names);
}

std::string_view prefix_of(const place& where) {
  switch (where.at) {
    case cell::level::user: return "/user";
    case cell::level::system: return "/system";
    case cell::level::child: return where.parent->path();
  }
  return {};
}

}  // namespace

result<cell::birth> prepare(const place& where, const spawn_options& how, std::string_view actor_type,
                            bool can_restart) {
  if (!how.name.empty()) {
    if (const auto checked = check_names(how.name, where.at); !checked) return fail(checked.error());
  }
  if (how.on_failure.on_failure == supervision::action::restart && !can_restart) {
    return fail(errc::invalid_argument,
                "the actor '{}' cannot be restarted: the arguments of its constructor cannot be copied", how.name);
  }
  if (how.on_failure.window <= duration{0} || how.on_failure.backoff < duration{0}) {
    return fail(errc::invalid_argument,
                "the supervision of the actor '{}' needs a window above 0, and a backoff of 0 or more", how.name);
  }
  const actor_incarnation incarnation{where.core->next_number()};
  return cell::birth{
      .core = where.core,
      .parent = where.parent,
      .at = where.at,
      // No name that is given can begin with a dollar sign.
      .path = how.name.empty() ? fmt::format("{}/${}", prefix_of(where), incarnation.value())
                               : fmt::format("{}/{}", prefix_of(where), how.name),
      .incarnation = incarnation,
      .how = how,
      .actor_type = actor_type,
  };
}

result<void> enroll(const boost::intrusive_ptr<cell>& made, cell* parent) {
  if (parent != nullptr && !parent->takes_children()) {
    return fail(errc::unavailable, "{} is stopping and takes no more children", parent->path());
  }
  if (auto added = made->shared_core()->add(made); !added) return added;
  if (parent != nullptr) parent->add_child(made);
  made->begin();
  return {};
}

}  // namespace muster::actor_kernel

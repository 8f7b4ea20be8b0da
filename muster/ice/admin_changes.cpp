#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "muster/ice/admin_servant.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/reply_size.hpp"

// What all changes, and all long lists, through `IceGrid::Admin` have in common.
namespace muster::ice {
namespace {

bool is_traced(const config::trace_settings& trace, const catalog::change& what) {
  const auto is_one_of = [&]<typename... Changes>(std::type_identity<Changes>...) {
    return (std::holds_alternative<Changes>(what) || ...);
  };
  using std::type_identity;
  if (is_one_of(type_identity<catalog::add_object>{}, type_identity<catalog::update_object>{},
                type_identity<catalog::remove_object>{})) {
    return trace.object > 0;
  }
  return std::holds_alternative<catalog::remove_adapter>(what) ? trace.adapter > 0 : trace.application > 0;
}

void propose_to(const session_hall& hall, const std::string& user, catalog::change what, std::function<void()> response,
                std::function<void(std::exception_ptr)> exception,
                std::function<std::exception_ptr(const error&)> own) {
  auto line = is_traced(hall.settings().trace, what) ? catalog::describe(what) : std::string{};
  hall.service().propose(std::move(what), [&log = hall.log(), user, line = std::move(line),
                                           response = std::move(response), exception = std::move(exception),
                                           own = std::move(own)](const result<replication::serial>& outcome) {
    if (outcome) {
      if (!line.empty()) log.write(event{severity::info, "changed"}.with("user", user).with("change", line));
      response();
      return;
    }
    auto thrown = own ? own(outcome.error()) : nullptr;
    exception(thrown ? thrown : to_deployment_exception(outcome.error()));
  });
}

}  // namespace

bool admin_servant::takes_changes(const failed& exception) const {
  const auto at = now();
  if (at->takes_changes) return true;
  const auto& last = at->last_master_name;
  const auto master = !at->master_name.empty() ? fmt::format("the master is replica '{}'", at->master_name)
                      : last.empty()
                          ? std::string{"no master is known to it"}
                          : fmt::format("the master, replica '{}' when it was last met, is not reached now", last);
  const auto sentence =
      at->role == replication::role::master
          ? fmt::format(
                "this operation is not allowed on a slave or read-only master registry: '{}' takes no changes{}{}",
                hall_->settings().replica_name, at->trouble.empty() ? "" : ", ", at->trouble)
          : fmt::format(
                "this operation is not allowed on a slave or read-only master registry: '{}' is a slave, and {}",
                hall_->settings().replica_name, master);
  exception(to_deployment_exception({errc::not_master, sentence}));
  return false;
}

void admin_servant::propose(catalog::change what, done response, failed exception, explain own) const {
  propose_to(*hall_, ticket_.user, std::move(what), std::move(response), std::move(exception), std::move(own));
}

void admin_servant::propose_update(catalog::change what, done response, failed exception, explain own) const {
  if (!takes_changes(exception)) return;
  hall_->desk().when_not_locked(
      ticket_.id,
      [hall = hall_, user = ticket_.user, what = std::move(what), response = std::move(response), exception,
       own = std::move(own)]() mutable {
        propose_to(*hall, user, std::move(what), std::move(response), std::move(exception), std::move(own));
      },
      [exception](const session::access_denied& why) {
        exception(std::make_exception_ptr(IceGrid::AccessDeniedException{why.holder}));
      });
}

void admin_servant::on_shell(task work, const failed& exception) const {
  if (auto posted = hall_->shell().try_post(std::move(work)); !posted) {
    exception(std::make_exception_ptr(Ice::UnknownException{__FILE__, __LINE__, posted.error().message}));
  }
}

void admin_servant::answer_names(const session_hall& hall, const Ice::StringSeq& names, std::string_view what,
                                 const given<Ice::StringSeq>& response, const failed& exception) {
  std::size_t bytes = 0;
  for (const auto& name : names) bytes += name.size() + (name.size() < 255 ? 1 : 5);
  if (auto refused = refuse_oversized_list(hall.communicator(), bytes, names.size(), what)) {
    exception(refused);
  } else {
    response(names);
  }
}

catalog::edited admin_servant::edited_now() const { return {session_hall::wall_clock_ms(), ticket_.user}; }

}  // namespace muster::ice

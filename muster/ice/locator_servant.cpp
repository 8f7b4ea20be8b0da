#include "muster/ice/locator_servant.hpp"

#include <atomic>
#include <utility>

#include "muster/locator/replies.hpp"
#include "muster/locator/requests.hpp"

namespace muster::ice {

namespace {

using locator::located;
using locator::locator_exception;
using metrics::locate_kind;
using metrics::locate_outcome;

constexpr std::string_view replica_name = "MusterReplica";

// Enough for most replies, so that the run time's buffer is allocated once.
constexpr std::size_t usual_reply_bytes = 256;

locate_outcome outcome_of(located::status answer) noexcept {
  switch (answer) {
    case located::status::found: return locate_outcome::found;
    case located::status::unavailable: return locate_outcome::unavailable;
    case located::status::unknown: return locate_outcome::unknown;
  }
  return locate_outcome::unknown;
}

}  // namespace

locator_servant::locator_servant(registry::service& from, metrics::registry_metrics& figures, event_log& log,
                                 locator_servant_options options)
    : byte_servant{object_types{"::IceGrid::Locator", {"::Ice::Locator"}}},
      service_{from},
      figures_{figures},
      log_{log},
      options_{std::move(options)} {}

locator_servant::scratch& locator_servant::of_this_thread() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local scratch mine{prng{options_.seed + threads.fetch_add(1, std::memory_order_relaxed)}, {}};
  return mine;
}

byte_servant::answered locator_servant::answer(const std::string& operation, byte_view params, bytes& reply) {
  if (operation == "findObjectById") return find_object(params, reply);
  if (operation == "findAdapterById") return find_adapter(params, reply);

  const auto give = [&](const auto& pick) {
    const auto asked = unwrap(locator::read_no_params(params));
    const auto now = service_.current();
    locator::append_proxy_reply(asked.version, pick(*now->view.own).content(), reply);
    return answered::reply;
  };
  if (operation == "getRegistry") return give([](const auto& own) -> auto& { return own.locator_registry(); });
  if (operation == "getLocalRegistry") return give([](const auto& own) -> auto& { return own.local_registry(); });
  if (operation == "getLocalQuery") return give([](const auto& own) -> auto& { return own.local_query(); });
  return answered::no_such_operation;
}

byte_servant::answered locator_servant::find_object(byte_view params, bytes& reply) {
  const auto asked = unwrap(locator::read_identity(params));
  const auto now = service_.current();
  auto found = locator::resolver::find_object(now->view, asked.params);
  if (!found.is_found() && asked.params.name == replica_name && now->view.own->is_reserved(asked.params)) {
    found = {located::status::found, options_.replica.content()};
  }
  figures_.locates[locate_kind::object][outcome_of(found.answer)].add();
  if (found.answer == located::status::unknown) {
    if (options_.logs_unknown) log_unknown("object", catalog::to_text(asked.params));
    locator::append(reply, locator::exception_reply(asked.version, locator_exception::object_not_found));
    return answered::user_exception;
  }
  reply.reserve(usual_reply_bytes);
  locator::append_proxy_reply(asked.version, found.proxy, reply);
  return answered::reply;
}

byte_servant::answered locator_servant::find_adapter(byte_view params, bytes& reply) {
  const auto asked = unwrap(locator::read_string(params));
  const auto now = service_.current();
  auto& mine = of_this_thread();
  const auto found = resolver_.find_adapter(now->view, asked.params, asked.version, mine.random, mine.merged);
  figures_.locates[found.is_group ? locate_kind::replica_group : locate_kind::adapter][outcome_of(found.answer)].add();
  if (found.answer == located::status::unknown) {
    if (options_.logs_unknown) log_unknown("adapter", std::string{asked.params});
    locator::append(reply, locator::exception_reply(asked.version, locator_exception::adapter_not_found));
    return answered::user_exception;
  }
  reply.reserve(usual_reply_bytes);
  locator::append_proxy_reply(asked.version, found.proxy, reply);
  return answered::reply;
}

void locator_servant::log_unknown(std::string_view what, const std::string& name) {
  log_.write(event{severity::info, "locate_failed"}.with("kind", what).with("id", name));
}

}  // namespace muster::ice

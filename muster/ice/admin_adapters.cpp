#include <cstddef>
#include <utility>
#include <vector>

#include "muster/ice/admin_servant.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/proxies.hpp"
#include "muster/ice/reply_size.hpp"
#include "muster/locator/listing.hpp"

namespace muster::ice {
namespace {

// A replica group may have very many members.
void answer_adapters(const session_hall& hall, const std::vector<locator::adapter_entry>& entries,
                     const std::function<void(const IceGrid::AdapterInfoSeq&)>& response,
                     const std::function<void(std::exception_ptr)>& exception) {
  std::size_t bytes = 0;
  for (const auto& entry : entries) bytes += entry.id.size() + entry.proxy.size() + entry.replica_group.size() + 10;
  if (auto refused = refuse_oversized_list(hall.communicator(), bytes, entries.size(), "adapters")) {
    exception(refused);
    return;
  }
  IceGrid::AdapterInfoSeq infos;
  infos.reserve(entries.size());
  for (const auto& entry : entries) {
    const auto proxy = to_proxy(hall.communicator(), entry.proxy);
    infos.push_back({std::string{entry.id}, proxy ? *proxy : nullptr, std::string{entry.replica_group}});
  }
  response(infos);
}

}  // namespace

void admin_servant::getAdapterInfoAsync(std::string id, given<IceGrid::AdapterInfoSeq> response, failed exception,
                                        const Ice::Current&) const {
  on_shell(
      [hall = hall_, id = std::move(id), response = std::move(response), exception] {
        const auto at = hall->service().current();
        if (const auto found = locator::find_adapter_entries(at->view, id)) {
          answer_adapters(*hall, *found, response, exception);
        } else {
          exception(std::make_exception_ptr(IceGrid::AdapterNotExistException{id}));
        }
      },
      exception);
}

void admin_servant::removeAdapterAsync(std::string id, done response, failed exception, const Ice::Current&) {
  if (!takes_changes(exception)) return;
  propose(catalog::remove_adapter{id}, std::move(response), std::move(exception), [id](const error& cause) {
    return cause.code == errc::not_found ? std::make_exception_ptr(IceGrid::AdapterNotExistException{id}) : nullptr;
  });
}

void admin_servant::getAllAdapterIdsAsync(given<Ice::StringSeq> response, failed exception, const Ice::Current&) const {
  on_shell(
      [hall = hall_, response = std::move(response), exception] {
        const auto at = hall->service().current();
        const auto ids = locator::list_adapter_ids(at->view);
        answer_names(*hall, {ids.begin(), ids.end()}, "adapters", response, exception);
      },
      exception);
}

}  // namespace muster::ice

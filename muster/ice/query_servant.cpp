#include "muster/ice/query_servant.hpp"

#include <atomic>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/locator/query.hpp"
#include "muster/locator/replies.hpp"
#include "muster/locator/requests.hpp"
#include "muster/locator/resolver.hpp"

namespace muster::ice {

namespace {

using metrics::query_kind;

prng& random_of_this_thread(std::uint64_t seed) {
  static std::atomic<std::uint64_t> threads{0};
  thread_local prng mine{seed + threads.fetch_add(1, std::memory_order_relaxed)};
  return mine;
}

}  // namespace

byte_servant::answered query_servant::answer(const std::string& operation, byte_view params, bytes& reply) {
  const auto now = service_.current();
  const auto& view = now->view;
  auto& random = random_of_this_thread(seed_);

  if (operation == "findObjectById") {
    const auto asked = unwrap(locator::read_identity(params));
    figures_.queries[query_kind::object_by_id].add();
    const auto found = locator::resolver::find_object(view, asked.params);
    if (found.is_found()) {
      locator::append_proxy_reply(asked.version, found.proxy, reply);
    } else {
      locator::append_null_reply(asked.version, reply);
    }
    return answered::reply;
  }
  if (operation == "findObjectByType") {
    const auto asked = unwrap(locator::read_string(params));
    figures_.queries[query_kind::object_by_type].add();
    locator::append_proxy_reply(asked.version, locator::find_object_of_type(view, asked.params, random), reply);
    return answered::reply;
  }
  if (operation == "findObjectByTypeOnLeastLoadedNode") {
    const auto asked = unwrap(locator::read_type_and_sample(params));
    figures_.queries[query_kind::object_by_type_on_least_loaded_node].add();
    locator::append_proxy_reply(asked.version,
                                locator::find_object_of_type_on_least_loaded_node(view, asked.params, random), reply);
    return answered::reply;
  }
  if (operation == "findAllObjectsByType") {
    const auto asked = unwrap(locator::read_string(params));
    figures_.queries[query_kind::all_objects_by_type].add();
    locator::append_proxies_reply(asked.version, locator::find_all_objects_of_type(view, asked.params), reply);
    return answered::reply;
  }
  if (operation == "findAllReplicas") {
    const auto asked = unwrap(locator::read_proxy(params));
    figures_.queries[query_kind::all_replicas].add();
    const auto replicas = locator::find_all_replicas(view, asked.params.view());
    const std::vector<byte_view> views{replicas.begin(), replicas.end()};
    locator::append_proxies_reply(asked.version, views, reply);
    return answered::reply;
  }
  return answered::no_such_operation;
}

}  // namespace muster::ice

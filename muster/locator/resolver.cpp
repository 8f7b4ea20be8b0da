#include "muster/locator/resolver.hpp"

#include <algorithm>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "muster/catalog/encoded_proxy.hpp"
#include "muster/locator/ice_encoding.hpp"
#include "muster/locator/key_order.hpp"

namespace muster::locator {

namespace {

using catalog::proxy_view;
using descriptor::load_balancing;

constexpr located unknown{};
constexpr located unavailable{located::status::unavailable, null_proxy};

located found(byte_view proxy) noexcept { return {located::status::found, proxy}; }

// What comes before the endpoints in a proxy that is made here: identity "dummy", default facet, twoway, not secure,
// protocol 1.0, encoding 1.1. The caller takes the endpoints and leaves the rest.
constexpr std::uint8_t dummy_header[]{5, 'd', 'u', 'm', 'm', 'y', 0, 0, 0, 0, 1, 0, 1, 1};
constexpr std::size_t dummy_identity_bytes = 7;

// Whether a server behind `proxy` understands a request in this encoding.
bool speaks(const proxy_view& proxy, encoding requested) noexcept {
  return proxy.encoding.major == 1 && proxy.encoding.minor >= static_cast<std::uint8_t>(requested);
}

// Collects the endpoints of several proxies as one.
class merger {
 public:
  explicit merger(bytes& out) noexcept : out_{out} {}

  void add(const proxy_view& proxy) { several_.push_back(proxy); }

  [[nodiscard]] located finish() {
    std::size_t endpoints = 0;
    for (const auto& one : several_) endpoints += one.endpoint_count;
    if (endpoints == 0) return unavailable;
    out_.clear();
    append(out_, dummy_header);
    append_size(out_, endpoints);
    for (const auto& one : several_) append(out_, one.endpoints);
    return found(out_);
  }

 private:
  bytes& out_;
  boost::container::small_vector<proxy_view, 8> several_;
};

// One member's proxy as the answer of a deployed adapter or group: its own options, without its identity.
located found_as_dummy(const proxy_view& proxy, bytes& out) {
  out.clear();
  append(out, byte_view{dummy_header}.first(dummy_identity_bytes));
  ice_reader in{proxy.all};
  (void)in.string();
  (void)in.string();
  append(out, in.rest());
  return found(out);
}

located merge_dynamic(const catalog::replica_group& group, encoding requested, bytes& merged) {
  // Most groups fit; a larger one costs an allocation.
  boost::container::small_vector<const catalog::adapter*, 32> list;
  for (const auto& member : group.members) list.push_back(&member);
  std::sort(list.begin(), list.end(),
            [](const auto* left, const auto* right) { return key_less(left->id(), right->id()); });
  merger all{merged};
  for (const auto* member : list) {
    const proxy_view proxy = catalog::trusted_view(member->proxy());
    if (speaks(proxy, requested)) all.add(proxy);
  }
  return all.finish();
}

struct candidate {
  std::string_view id() const noexcept { return adapter->id(); }

  const catalog::deployed_adapter* adapter{};
  proxy_view proxy;
};

using candidates = boost::container::small_vector<candidate, 16>;

// Those members of a deployed group that run now and understand the request, in the order of their ids.
candidates active_members(const view& from, const catalog::replica_group& group, encoding requested) {
  candidates list;
  for (const auto& member : group.deployed_members) {
    const auto* active = from.active_adapters.find(member.id());
    if (active == nullptr) continue;
    const proxy_view proxy = catalog::trusted_view(active->proxy());
    if (!proxy.is_null() && speaks(proxy, requested)) list.push_back({&member, proxy});
  }
  std::sort(list.begin(), list.end(),
            [](const auto& left, const auto& right) { return key_less(left.id(), right.id()); });
  return list;
}

void shuffle(candidates& list, prng& random) {
  for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[random.below(left)]);
}

void order(candidates& list, load_balancing policy, std::string_view group, turn_counters& turns, prng& random) {
  switch (policy) {
    case load_balancing::random:
    case load_balancing::adaptive: shuffle(list, random); return;
    case load_balancing::round_robin:
      // Turns are taken among the active members, so that one that is away does not give its turns to its neighbour.
      std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(turns.take(group) % list.size()),
                  list.end());
      return;
    case load_balancing::ordered:
      std::stable_sort(list.begin(), list.end(), [](const auto& left, const auto& right) {
        return left.adapter->entry.priority < right.adapter->entry.priority;
      });
      return;
  }
}

}  // namespace

located resolver::find_object(const view& from, catalog::identity_view id) noexcept {
  if (const own_object* own = from.own->find(id); own != nullptr) return found(own->proxy.content());
  if (const catalog::object* object = from.state.find_object(id); object != nullptr) return found(object->proxy());
  return unknown;
}

located resolver::find_adapter(const view& from, std::string_view id, encoding requested, prng& random, bytes& merged) {
  // A server's own registration answers as it is, whatever is in it: it is the server's business.
  if (const auto* adapter = from.state.find_adapter(id); adapter != nullptr) return found(adapter->proxy());

  if (const auto* group = from.state.find_replica_group(id); group != nullptr) {
    located answer = find_group(from, id, *group, requested, random, merged);
    answer.is_group = true;
    return answer;
  }

  if (from.state.find_deployed_adapter(id) != nullptr) {
    const auto* active = from.active_adapters.find(id);
    if (active == nullptr) return unavailable;
    const proxy_view proxy = catalog::trusted_view(active->proxy());
    return !proxy.is_null() && speaks(proxy, requested) ? found_as_dummy(proxy, merged) : unavailable;
  }
  return unknown;
}

located resolver::find_group(const view& from, std::string_view id, const catalog::replica_group& group,
                             encoding requested, prng& random, bytes& merged) {
  if (!group.is_deployed() && group.deployed_members.empty()) return merge_dynamic(group, requested, merged);

  candidates list = active_members(from, group, requested);
  if (list.empty()) return unavailable;
  // A group that adapters name before its own application comes is as one of the default policy with all members.
  const auto policy = group.is_deployed() ? group.deployment->entry.policy : load_balancing::random;
  const int n_replicas = group.is_deployed() ? group.deployment->entry.n_replicas : 0;
  order(list, policy, id, turns_, random);
  const std::size_t wanted = n_replicas == 0 ? list.size() : static_cast<std::size_t>(std::max(n_replicas, 1));
  const std::size_t count = std::min(wanted, list.size());
  if (count == 1) return found_as_dummy(list.front().proxy, merged);
  merger selected{merged};
  for (std::size_t i = 0; i < count; ++i) selected.add(list[i].proxy);
  return selected.finish();
}

}  // namespace muster::locator

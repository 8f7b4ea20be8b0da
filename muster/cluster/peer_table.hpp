#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "muster/actor/actor_address.hpp"
#include "muster/base/instant.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/membership/member.hpp"

namespace muster::cluster {

/// One life of another node in the spellings of all three parts of a node. Immutable and shared, within one thread: a
/// strand has its own.
struct known_node : boost::intrusive_ref_counter<known_node, boost::thread_unsafe_counter> {
  known_node(membership::member_ptr known_as, actor_node with_actors, gossip::origin_id with_registrations)
      : member{std::move(known_as)}, node{std::move(with_actors)}, origin{std::move(with_registrations)} {}

  membership::member_ptr member;
  actor_node node;
  gossip::origin_id origin;

  [[nodiscard]] const std::string& address() const noexcept { return member->address; }
};
using known_node_ptr = boost::intrusive_ptr<const known_node>;

/// Lets many nodes of one process (a simulation of thousands) share what they know of each other, as
/// `membership::member_pool` does. Not for use from several threads.
class known_node_pool {
 public:
  [[nodiscard]] known_node_ptr share(const membership::member_ptr& who);

 private:
  std::unordered_map<const membership::member*, known_node_ptr> known_;  // a key is kept alive by what it leads to
  std::size_t forget_at_{1024};
};

[[nodiscard]] known_node_ptr make_known_node(const membership::member_ptr& who);

/// The other members of the cluster, each name once. Made for many of whom nothing special is to be said: 9 bytes each
/// in an index; who is unreachable, or old, is noted apart. Inside the folder only.
class peer_table {
 public:
  [[nodiscard]] const known_node* find(std::string_view name) const;
  /// This very incarnation.
  [[nodiscard]] const known_node* find(const actor_node& which) const;
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  /// None of that name may be there. It is reachable.
  void add(known_node_ptr who);
  /// Gives it back.
  known_node_ptr take(std::string_view name);
  /// Any; there must be one.
  [[nodiscard]] const known_node& any() const { return **all_.begin(); }

  [[nodiscard]] bool is_reachable(std::string_view name) const { return !unreachable_.contains(name); }
  void set_reachable(std::string_view name, bool is_reachable);

  /// Known from before this node came back, and not met again yet: until then, when it counts as unreachable, and later
  /// as removed.
  [[nodiscard]] bool is_old(std::string_view name) const { return old_until_.contains(name); }
  void set_old(std::string_view name, instant until) { old_until_.insert_or_assign(std::string{name}, until); }
  void set_met(std::string_view name);
  /// When the first of the old ones is due; `instant_never` if none is old.
  [[nodiscard]] instant next_old() const;
  /// The old ones that are due, by name.
  [[nodiscard]] std::vector<std::string> due_old(instant now) const;

  /// In no particular order, but the same in every run.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (const known_node_ptr& one : all_) visit(*one);
  }

 private:
  struct by_name_hash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return static_cast<std::size_t>(membership::text_key(name));
    }
    std::size_t operator()(const known_node_ptr& who) const noexcept { return (*this)(who->node.name); }
  };
  struct by_name_equal {
    using is_transparent = void;
    bool operator()(std::string_view left, const known_node_ptr& right) const noexcept {
      return left == right->node.name;
    }
    bool operator()(const known_node_ptr& left, std::string_view right) const noexcept {
      return left->node.name == right;
    }
    bool operator()(const known_node_ptr& left, const known_node_ptr& right) const noexcept {
      return left->node.name == right->node.name;
    }
  };

  boost::unordered_flat_set<known_node_ptr, by_name_hash, by_name_equal> all_;
  std::set<std::string, std::less<>> unreachable_;
  std::map<std::string, instant, std::less<>> old_until_;
};

}  // namespace muster::cluster

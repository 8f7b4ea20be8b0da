#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "muster/cluster/ready.hpp"

namespace muster::sim::peers {

/// No two watches of a run have one.
using watch_number = std::uint64_t;

/// What the actors of one process have to do with those of others. Some may be watched: they stop, and others come
/// after them under the same paths. Others watch, one for each watch; what they hear is kept until it is taken.
class actors {
 public:
  explicit actors(std::size_t watchable);

  // --- those that may be watched ---

  [[nodiscard]] std::size_t watchable() const noexcept { return present_.size(); }
  /// The one that lives under this path now.
  [[nodiscard]] cluster::actor_key present(std::size_t which) const;
  /// It stops. Gives the one that did.
  cluster::actor_key stop(std::size_t which);

  /// The node wants to hear of an end, or no more. True if it is to hear of it now.
  [[nodiscard]] bool follow(const cluster::local_watch& what);
  [[nodiscard]] bool is_followed(const cluster::actor_key& which) const { return followed_.contains(which); }
  /// The news of an end has reached the node; false if that has lost interest meanwhile.
  [[nodiscard]] bool report(const cluster::actor_key& which) { return followed_.erase(which) != 0; }

  // --- those that watch ---

  [[nodiscard]] death_watch begin_watch(watch_number number, const actor_address& whom);
  void forget(watch_number number) { watches_.erase(number); }
  [[nodiscard]] const std::map<watch_number, death_watch>& watches() const noexcept { return watches_; }
  /// The watches of which an end was told since the last call, each as often as it was.
  [[nodiscard]] std::vector<watch_number> take_heard();

 private:
  std::vector<std::uint64_t> present_;  ///< incarnations
  std::set<cluster::actor_key> followed_;
  std::map<watch_number, death_watch> watches_;
  std::shared_ptr<std::vector<watch_number>> heard_;
};

}  // namespace muster::sim::peers

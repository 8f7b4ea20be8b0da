#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/ready.hpp"

namespace muster::receptionist {

/// What becomes of the registrations of one life of a node.
struct reachability {
  enum class state : std::uint8_t {
    reachable,
    unreachable,  ///< its refs leave `refs` and stay in `all_refs`
    gone,         ///< removed: its registrations vanish by changes of their own; reachable, should it be met again
  };
  gossip::origin_id origin;
  state now{state::reachable};
};

/// A registration of this node that `directory::add` has taken and that did not find room after all.
struct late_refusal {
  gossip::registration what;
  std::string why;  ///< a sentence that names the bound
};

/// What one turn of a directory brings: it makes at most one listing a key.
struct directory_news {
  static constexpr bool dies_with_actor = true;
  static constexpr bool teller_may_handle = true;

  std::vector<gossip::change> changes{};
  std::vector<reachability> reach{};
  /// The receptionist withdraws them, with an error in the log: an acknowledgement may have been given.
  std::vector<late_refusal> refused{};
};

/// Port: where the registrations of all nodes are kept. The receptionist writes those of its own node into it and hears
/// of those of other nodes. `local_directory` is the one of a node alone; the node of a cluster is another.
///
/// The receptionist calls it on its turns only, one call at a time, and never waits in it. Such a turn may take place
/// within a call that tells the receptionist something: it takes no lock that others hold meanwhile.
class directory {
 public:
  directory() = default;
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;
  virtual ~directory() = default;

  /// The name by which this node is an origin. News of it are passed over: what it registers the receptionist knows.
  [[nodiscard]] virtual gossip::node_id self() const = 0;
  /// Registrations are shown to other nodes.
  [[nodiscard]] virtual bool is_shared() const noexcept = 0;
  /// Both keep the registrations of the same node of the same cluster.
  [[nodiscard]] virtual bool is_same(const directory& other) const noexcept { return this == &other; }

  /// How often nodes compare what they know, where they do.
  [[nodiscard]] virtual duration gossip_interval() const { return std::chrono::seconds{1}; }
  /// Called before `attach`, if at all. `invalid_argument` or `conflict`, with a sentence that says what contradicts.
  [[nodiscard]] virtual result<void> set_gossip_interval(duration) { return {}; }

  /// From now until `detach`, `tell` is called with what happens: first with all that is known now, then once
  /// for each turn in which something changed, in order. On any thread; not within `attach`. A call that another thread
  /// has begun may still come after `detach`.
  virtual void attach(std::function<void(directory_news)> tell) = 0;
  /// No more is told. What was added and not removed is withdrawn, at once: nobody answers for it any more.
  virtual void detach() = 0;

  /// A registration of this node that is not there yet. `limit_exceeded` (naming the bound) or `invalid_argument`, with
  /// nothing changed; otherwise it is kept, and told to other nodes with the next `commit`. A bound that only another
  /// strand can judge is told later, by `directory_news::refused`.
  [[nodiscard]] virtual result<void> add(const gossip::shared_text& key, const gossip::entry& what) = 0;
  /// One that `add` has taken; nothing happens when it was refused later.
  virtual void remove(const gossip::shared_text& key, const gossip::entry& what) = 0;
  /// The turn is over: what was added and removed in it goes on its way, before anyone here is told of it.
  virtual void commit() = 0;
};

}  // namespace muster::receptionist

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/cluster/node.hpp"
#include "muster/gossip/identity.hpp"

namespace muster::cluster {

/// Changes a node's own registrations from outside of its turn: for one writer, who does so on one strand of its own
/// and keeps account of what it has registered. Bounds of one node are checked at once, so that the writer can answer
/// at once; those of all nodes together by the node's turn, in the order of the changes.
class registrar {
 public:
  /// Called on a turn of the node with a registration that it refused after all, and why. The turn may take place
  /// within any call that tells a receptionist something: what is called takes no lock that others hold meanwhile.
  using refusal = std::function<void(const gossip::registration& what, const error& why)>;

  explicit registrar(std::shared_ptr<node> of, refusal on_refused = {})
      : node_{std::move(of)}, on_refused_{std::make_shared<const refusal>(std::move(on_refused))} {}

  /// One that is not there yet. `limit_exceeded`, naming the bound, or `invalid_argument`: nothing is changed then.
  [[nodiscard]] result<void> add(const gossip::shared_text& key, const gossip::entry& what);
  /// One that was added; nothing happens when it was refused later.
  void remove(const gossip::shared_text& key, const gossip::entry& what);
  /// What was changed since the last time goes to the node, and from there at once to all others, as one.
  void commit();

 private:
  struct step {
    gossip::registration what;
    bool removes{false};
  };

  std::shared_ptr<node> node_;
  std::shared_ptr<const refusal> on_refused_;
  /// Of those that were added and not removed. The node's turn corrects it for what it refuses.
  std::shared_ptr<std::atomic<std::int64_t>> count_{std::make_shared<std::atomic<std::int64_t>>(0)};
  std::vector<step> waiting_;
};

}  // namespace muster::cluster

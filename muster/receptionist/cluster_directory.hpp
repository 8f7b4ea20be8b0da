#pragma once

#include <functional>
#include <memory>

#include "muster/cluster/node.hpp"
#include "muster/cluster/registrar.hpp"
#include "muster/receptionist/directory.hpp"

namespace muster::receptionist {

/// The directory of a node in a cluster: what is registered here is told to all other nodes within the turn of the
/// node, and what they have registered comes from there. It serves before the node has joined and after it has left,
/// too.
///
/// The node has no other writer. What it has registered is withdrawn when it is detached. When the node comes back
/// under another incarnation, its registrations go with it: nothing changes for the receptionist, to which they are
/// this node's own.
class cluster_directory final : public directory {
 public:
  explicit cluster_directory(std::shared_ptr<cluster::node> of);
  ~cluster_directory() override;

  [[nodiscard]] gossip::node_id self() const override { return self_; }
  [[nodiscard]] bool is_shared() const noexcept override { return true; }
  [[nodiscard]] bool is_same(const directory& other) const noexcept override;

  [[nodiscard]] duration gossip_interval() const override { return node_->gossip_interval(); }
  [[nodiscard]] result<void> set_gossip_interval(duration wanted) override {
    return node_->set_gossip_interval(wanted);
  }

  void attach(std::function<void(directory_news)> tell) override;
  void detach() override;
  [[nodiscard]] result<void> add(const gossip::shared_text& key, const gossip::entry& what) override {
    return own_.add(key, what);
  }
  void remove(const gossip::shared_text& key, const gossip::entry& what) override { own_.remove(key, what); }
  void commit() override { own_.commit(); }

 private:
  class listener;

  const std::shared_ptr<cluster::node> node_;
  const gossip::node_id self_;
  const std::shared_ptr<listener> listener_;
  cluster::registrar own_;
};

}  // namespace muster::receptionist

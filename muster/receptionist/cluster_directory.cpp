#include "muster/receptionist/cluster_directory.hpp"

#include <utility>
#include <vector>

#include "muster/actor/guarded.hpp"
#include "muster/cluster/identity.hpp"

namespace muster::receptionist {

namespace {

reachability::state state_of(cluster::registration_news::reach now) noexcept {
  switch (now) {
    case cluster::registration_news::reach::reachable: return reachability::state::reachable;
    case cluster::registration_news::reach::unreachable: return reachability::state::unreachable;
    case cluster::registration_news::reach::gone: return reachability::state::gone;
  }
  return reachability::state::gone;
}

}  // namespace

/// Hears on turns of the node what is told on to the receptionist, until that wants no more.
class cluster_directory::listener final : public cluster::registration_observer {
 public:
  explicit listener(gossip::node_id self) noexcept : self_{std::move(self)} {}

  using way = std::shared_ptr<const std::function<void(directory_news)>>;

  /// Null: nobody wants to hear any more.
  void set_way(way next) {
    to_.with([&](way& present) { present.swap(next); });
  }

  void handle_news(const cluster::registration_news& what) override {
    directory_news out;
    for (const gossip::change& one : what.changes) {
      if (one.origin.node != self_) out.changes.push_back(one);
    }
    for (const auto& one : what.nodes) out.reach.push_back({cluster::to_origin(one.node), state_of(one.now)});
    // A new incarnation of this node is news for others only: here its registrations have no incarnation.
    if (!out.changes.empty() || !out.reach.empty()) tell(std::move(out));
  }

  void tell(directory_news what) const {
    if (const way to = to_.with([](const way& present) { return present; })) (*to)(std::move(what));
  }

 private:
  const gossip::node_id self_;
  actor_kernel::guarded<way> to_;
};

cluster_directory::cluster_directory(std::shared_ptr<cluster::node> of)
    : node_{std::move(of)},
      self_{node_->self().name},
      listener_{std::make_shared<listener>(self_)},
      own_{node_, [to = listener_](const gossip::registration& what, const error& why) {
             directory_news out;
             out.refused.push_back({what, why.message});
             to->tell(std::move(out));
           }} {}

cluster_directory::~cluster_directory() = default;

bool cluster_directory::is_same(const directory& other) const noexcept {
  const auto* const alike = dynamic_cast<const cluster_directory*>(&other);
  return alike != nullptr && alike->node_->is_same(*node_);
}

void cluster_directory::attach(std::function<void(directory_news)> tell) {
  listener_->set_way(std::make_shared<const std::function<void(directory_news)>>(std::move(tell)));
  node_->post([to = listener_](cluster::registrations& all) {
    // What another writer left behind, and nobody would take back.
    all.withdraw_own();
    all.observe(to);
  });
}

void cluster_directory::detach() {
  listener_->set_way(nullptr);
  node_->post([from = listener_](cluster::registrations& all) {
    all.stop_observing(*from);
    all.withdraw_own();
  });
}

}  // namespace muster::receptionist

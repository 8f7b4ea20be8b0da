#include "bench/receptionist/muster_node.hpp"

#include <condition_variable>
#include <future>
#include <mutex>

#include "muster/cluster/node_core.hpp"
#include "muster/muster.hpp"

namespace muster::bench {

namespace {

/// How many members can be reached, told by the node.
class reachable_count {
 public:
  void put(std::size_t count) {
    {
      const std::lock_guard lock{mutex_};
      count_ = count;
    }
    changed_.notify_all();
  }
  void await(std::size_t count) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return count_ == count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_{1};
};

std::shared_ptr<cluster::node> join(actor_system& system, const muster_node_options& how) {
  if (how.listen.empty()) return nullptr;
  cluster::join_options options;
  options.name = how.name;
  options.listen = how.listen;
  options.seeds = how.seeds;
  return cluster::join(system, options);
}

}  // namespace

struct muster_node::parts {
  explicit parts(const muster_node_options& how)
      : system{"bench", {.runs_on = os::actor_pool::make({}).value()}},
        node{join(system, how)},
        desk{receptionist::start(system, node)} {
    if (!node) return;
    node->subscribe(system.spawn<cluster::member_news>("members", [seen = seen](const cluster::member_news& news) {
      std::size_t count = 0;
      for (const auto& one : news.now->members) count += one.is_reachable ? 1 : 0;
      seen->put(count);
    }));
  }

  actor_system system;
  std::shared_ptr<reachable_count> seen = std::make_shared<reachable_count>();
  std::shared_ptr<cluster::node> node;
  receptionist::handle desk;
};

muster_node::muster_node(const muster_node_options& how) : parts_{std::make_unique<parts>(how)} {}
muster_node::~muster_node() = default;

actor_system& muster_node::system() noexcept { return parts_->system; }
const receptionist::handle& muster_node::desk() const noexcept { return parts_->desk; }
void muster_node::await_members(std::size_t count) {
  if (parts_->node) parts_->seen->await(count);
}

traffic muster_node::sent() const {
  if (!parts_->node) return {};
  std::promise<traffic> counted;
  parts_->node->inspect([&](const cluster::node_core& core) {
    const auto all = core.counted();
    counted.set_value(
        {.frames_sent = all.frames_sent, .bytes_sent = all.bytes_sent, .gossip_bytes_sent = all.gossip_bytes_sent});
  });
  return counted.get_future().get();
}

}  // namespace muster::bench

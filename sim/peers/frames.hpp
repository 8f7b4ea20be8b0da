#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "muster/cluster/transport.hpp"
#include "sim/links.hpp"
#include "sim/scheduler.hpp"

namespace muster::sim::peers {

/// The network of the cluster: frames between processes, as `cluster::transport` promises to carry them. They are
/// delayed, lost, doubled and overtaken; and a process learns, sooner, later or never, that a connection broke or that
/// nobody listens.
class frames {
 public:
  /// Receives what arrives at a live process.
  class receiver {
   public:
    virtual ~receiver() = default;
    virtual void deliver(node_index at, const cluster::shared_frame& frame) = 0;
    virtual void connection_lost(node_index at, node_index to) = 0;
    virtual void connection_refused(node_index at, node_index to) = 0;
  };

  struct options {
    std::size_t nodes{0};
    /// As over TCP: what one process sends to another on one channel keeps its order and dies with either of them.
    /// Else each frame is for itself, and may reach the next process on the same machine.
    bool keeps_order{false};
    std::uint32_t ends_noticed_percent{100};  ///< how often a broken or refused connection is told
  };

  frames(const options& how, scheduler& clock, prng& draws, receiver& to)
      : options_{how}, clock_{clock}, draws_{draws}, receiver_{to}, links_{how.nodes, draws}, machines_(how.nodes) {}

  [[nodiscard]] links& between() noexcept { return links_; }

  void process_started(node_index at);
  /// A machine whose host does not answer tells nobody that nobody listens there.
  void process_ended(node_index at, bool host_answers);
  void send(node_index from, node_index to, cluster::channel on, cluster::shared_frame frame);
  /// A reset: both ends are told.
  void break_connection(node_index from, node_index to);
  /// Ends of processes are noticed always from now on.
  void set_faithful() noexcept { options_.ends_noticed_percent = 100; }

 private:
  struct machine {
    std::uint64_t life{0};  ///< of the process that runs; 0 = none
    bool answers{true};
    std::set<node_index> connected;  ///< those whose frames have reached this process
  };

  void arrive(node_index from, node_index to, std::uint64_t life, const cluster::shared_frame& frame);
  void tell_lost(node_index whom, node_index of);
  void tell_refused(node_index whom, node_index by);

  options options_;
  scheduler& clock_;
  prng& draws_;
  receiver& receiver_;
  links links_;
  std::vector<machine> machines_;
  std::uint64_t lives_given_{0};
  std::map<std::tuple<node_index, node_index, cluster::channel>, instant> last_arrivals_;
};

}  // namespace muster::sim::peers

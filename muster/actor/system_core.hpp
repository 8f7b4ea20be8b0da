#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "muster/actor/ask.hpp"
#include "muster/actor/cell.hpp"
#include "muster/actor/dead_letters.hpp"
#include "muster/actor/executor.hpp"
#include "muster/actor/guarded.hpp"
#include "muster/actor/remote.hpp"
#include "muster/actor/timer_queue.hpp"
#include "muster/base/event.hpp"

namespace muster::actor_kernel {

/// What the actors of a system share: the directory of those that live, the timers, the dead letters, the order of the
/// end. Any thread. It lives as long as any ref to one of its actors; of executor and log it makes use only until the
/// system has ended.
class system_core : public std::enable_shared_from_this<system_core> {
 public:
  struct options {
    std::string name;
    actor_node node;
    event_log* log{nullptr};
    std::size_t batch_max{64};
    dead_letters::options letters;
  };
  system_core(options how, actor_executor& on);
  system_core(const system_core&) = delete;
  system_core& operator=(const system_core&) = delete;
  ~system_core() = default;

  [[nodiscard]] const std::string& name() const noexcept { return options_.name; }
  [[nodiscard]] std::size_t batch_max() const noexcept { return options_.batch_max; }
  [[nodiscard]] actor_executor& executor() noexcept { return executor_; }
  [[nodiscard]] dead_letters& letters() noexcept { return letters_; }
  [[nodiscard]] timer_queue& timers() noexcept { return *timers_; }
  /// For actors, timers and questions alike: no number is given twice.
  [[nodiscard]] std::uint64_t next_number() noexcept { return numbers_.fetch_add(1, std::memory_order_relaxed) + 1; }
  void write(const event& what);

  [[nodiscard]] actor_node node() const;
  /// Refs that this process made before it got this name are of it all the same.
  void set_node(actor_node node);
  [[nodiscard]] std::shared_ptr<remote_route> route() const;
  void set_route(std::shared_ptr<remote_route> route);

  /// Names the cell's place from now on. `already_exists` when an actor that lives has the path; `unavailable` when the
  /// system is on its way down.
  [[nodiscard]] result<void> add(const boost::intrusive_ptr<cell>& which);
  /// Makes the path free. What is held until then may go with it.
  void forget(const cell& which);
  /// Its watchers know; a shutdown goes on.
  void handle_ended(const cell& which);
  /// A question that waits for its answer has a path, so that the answer may come from another node.
  /// False when the system has stopped: nobody would end it.
  [[nodiscard]] bool add_question(boost::intrusive_ptr<question> which);
  void forget_question(const endpoint& which);
  /// Who lives at that path with that incarnation, or null.
  [[nodiscard]] endpoint_ptr find(std::string_view path, actor_incarnation incarnation) const;
  /// The actor that lives at that path now, or null.
  [[nodiscard]] endpoint_ptr find(std::string_view path) const;
  [[nodiscard]] std::size_t actor_count() const;

  void begin_shutdown();
  [[nodiscard]] bool has_stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }
  /// Begins one where none has begun, waits for it for nine tenths of `bound`, and drops what waits in mailboxes for
  /// the rest. For the last twentieth the system's own actors stop, whoever else is busy, so that the node still leaves
  /// its cluster. Gives up those that are busy at the end. `timed_out` names them.
  [[nodiscard]] result<void> shutdown(duration bound);

 private:
  enum class phase : std::uint8_t { running, stopping_user, stopping_system, stopped };
  struct directory {
    std::unordered_map<std::string_view, boost::intrusive_ptr<cell>> by_path;  // keys are the cells' own
    std::map<std::uint64_t, cell*> user;                                       // by incarnation: the order of spawning
    std::map<std::uint64_t, cell*> system;
    std::map<std::uint64_t, boost::intrusive_ptr<question>> questions;
    phase now{phase::running};
    std::uint64_t awaited{0};  // the actor of the system that has been asked to stop
    stop_when manner{stop_when::drained};
  };
  struct step {
    std::vector<endpoint_ptr> stop;
    stop_when when{stop_when::drained};
    bool over{false};
  };

  /// What a shutdown does next, if there is something before another actor has ended.
  [[nodiscard]] static step advance(directory& all);
  void take(const step& next);
  void hurry();
  /// The actors of users that are busy still; the system's own need not wait for them.
  void leave_behind();
  [[nodiscard]] result<void> give_up(duration bound);
  void finish();

  const options options_;
  actor_executor& executor_;
  dead_letters letters_;
  const std::shared_ptr<timer_queue> timers_;
  std::atomic<std::uint64_t> numbers_{0};
  std::atomic<bool> stopped_{false};
  guarded<directory> directory_;
  guarded<actor_node> node_;
  guarded<std::shared_ptr<remote_route>> route_;
  guarded<event_log*> log_;
};

}  // namespace muster::actor_kernel

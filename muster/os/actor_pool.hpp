#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <boost/asio/thread_pool.hpp>

#include "muster/actor/executor.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"

namespace muster::os {

/// The threads that run actor systems: a Boost.Asio thread pool for the turns, and one more thread for the alarms. A
/// pool that also had timers would have to sleep in epoll instead of on a futex, which makes each wake-up dearer;
/// alarms are rare beside turns, since a system has but one.
///
/// Signals are blocked in all of these threads (signals.hpp). Its destructor, not to be run on one of them, runs what
/// waits and joins: systems have ended by then.
class actor_pool final : public actor_executor {
 public:
  struct options {
    std::size_t threads{0};  ///< 0: one for each processor
    std::string name{"actors"};
    /// A thread that has told nobody here anything for a moment runs a few short turns of the system's own actors
    /// within its call, so that a single message need not wait for a thread of the pool to wake. False: it never does.
    bool tellers_help{true};
  };

  /// `invalid_argument` for more than 1024 threads.
  [[nodiscard]] static result<std::shared_ptr<actor_pool>> make(options how);
  ~actor_pool() override;

  void execute(runnable& what) override;
  void execute_here(runnable& what) override;
  [[nodiscard]] bool is_at_teller() const noexcept override;
  void hand_over() override;
  [[nodiscard]] instant now() const override;
  void wake_at(instant when, std::shared_ptr<runnable> what) override;
  [[nodiscard]] bool wait(const std::atomic<bool>& flag, instant deadline) override;
  void notify() override;

  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }

 private:
  actor_pool(const options& how, std::size_t threads);
  /// A turn, and those that are to follow it on this thread.
  void run(runnable& first, bool at_teller) noexcept;
  void ring() noexcept;

  const std::size_t threads_;
  const bool tellers_help_;
  boost::asio::thread_pool pool_;
  boost::asio::thread_pool::executor_type turns_;

  std::mutex alarms_mutex_;
  std::condition_variable alarms_changed_;
  // Under that mutex.
  std::multimap<instant, std::shared_ptr<runnable>> alarms_;
  bool stopping_{false};

  std::mutex wait_mutex_;
  std::condition_variable notified_;

  std::thread bell_;
};

}  // namespace muster::os

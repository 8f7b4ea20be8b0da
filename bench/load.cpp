#include "bench/load.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace muster::bench {

namespace {

constexpr std::uint64_t failures_max = 100;
constexpr std::uint64_t answers_min = 20;

std::string to_text(const std::exception_ptr& what) {
  try {
    std::rethrow_exception(what);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no exception of the standard library";
  }
}

// Callbacks come from the client's one thread and, for the first calls, after the start by the caller's: a lane is
// touched by one of them at a time, what all lanes share is atomic.
class closed_loop {
 public:
  closed_loop(std::size_t lanes, std::uint64_t first, std::uint64_t end, const start_call& start)
      : lanes_(lanes), start_{start}, next_{first}, end_{end} {}

  void begin() {
    underway_ = lanes_.size();
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) go_on(lane);
  }

  void measure(bool on) { measuring_from_.store(on ? clock::now().time_since_epoch().count() : never); }
  [[nodiscard]] std::uint64_t answered() const { return answered_.load(); }
  [[nodiscard]] std::uint64_t next() const { return next_.load(); }
  void cease() { ceased_ = true; }

  void wait() {
    std::unique_lock lock{mutex_};
    idle_.wait(lock, [&] { return underway_.load() == 0; });
  }

  void report(load_result& to) {
    for (auto& lane : lanes_) {
      to.latencies_us.insert(to.latencies_us.end(), lane.latencies_us.begin(), lane.latencies_us.end());
    }
    to.failures = failures_.load();
    to.first_failure = first_failure_;
  }

 private:
  static constexpr auto never = std::numeric_limits<clock::rep>::max();

  struct lane_state {
    clock::time_point began;
    std::vector<double> latencies_us;
  };

  void go_on(std::size_t lane) {
    const auto number = ceased_ ? end_ : next_.fetch_add(1, std::memory_order_relaxed);
    if (number >= end_) {
      const std::lock_guard lock{mutex_};
      if (--underway_ == 0) idle_.notify_all();
      return;
    }
    lanes_[lane].began = clock::now();
    start_(
        lane, number, [this, lane] { finish(lane); }, [this, lane](const std::exception_ptr& why) { fail(lane, why); });
  }

  void finish(std::size_t lane) {
    auto& state = lanes_[lane];
    if (state.began.time_since_epoch().count() >= measuring_from_.load(std::memory_order_relaxed)) {
      state.latencies_us.push_back(std::chrono::duration<double, std::micro>{clock::now() - state.began}.count());
    }
    answered_.fetch_add(1, std::memory_order_relaxed);
    go_on(lane);
  }

  void fail(std::size_t lane, const std::exception_ptr& why) {
    {
      const std::lock_guard lock{mutex_};
      if (first_failure_.empty()) first_failure_ = to_text(why);
    }
    if (failures_.fetch_add(1) + 1 >= failures_max) ceased_ = true;
    go_on(lane);
  }

  std::vector<lane_state> lanes_;
  const start_call& start_;
  std::atomic<std::uint64_t> next_;
  const std::uint64_t end_;
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::size_t> underway_{0};
  std::atomic<bool> ceased_{false};
  std::atomic<clock::rep> measuring_from_{never};
  std::mutex mutex_;
  std::condition_variable idle_;
  std::string first_failure_;
};

}  // namespace

load_result run_window(const window& how, std::uint64_t& first_number, const start_call& start) {
  closed_loop loop{how.in_flight, first_number, std::numeric_limits<std::uint64_t>::max(), start};
  loop.begin();
  std::this_thread::sleep_for(how.warm_up);  // tidy: allow, because the load runs meanwhile
  const auto began = clock::now();
  const auto before = loop.answered();
  loop.measure(true);
  // Longer when calls are so slow that a window of its proper length would hold next to none.
  do {
    std::this_thread::sleep_for(how.length);  // tidy: allow, because the load runs meanwhile
  } while (loop.answered() - before < answers_min + how.in_flight && clock::now() - began < how.length * 20);
  loop.measure(false);
  const auto after = loop.answered();
  const std::chrono::duration<double> took = clock::now() - began;
  loop.cease();
  loop.wait();
  first_number = loop.next();

  load_result result;
  result.per_second = static_cast<double>(after - before) / took.count();
  loop.report(result);
  if (result.failures >= failures_max) {
    throw std::runtime_error{fmt::format("{} calls failed, the first with: {}", result.failures, result.first_failure)};
  }
  return result;
}

void run_all(std::uint64_t count, std::size_t in_flight, const start_call& start) {
  closed_loop loop{in_flight, 0, count, start};
  loop.begin();
  loop.wait();
  load_result result;
  loop.report(result);
  if (result.failures > 0) {
    throw std::runtime_error{fmt::format("{} calls failed, the first with: {}", result.failures, result.first_failure)};
  }
}

}  // namespace muster::bench

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "bench/measurement.hpp"

namespace muster::bench {

namespace {

using namespace std::chrono_literals;

double milliseconds(clock::duration time) { return std::chrono::duration<double, std::milli>{time}.count(); }

// Resolves one object again and again in a thread of its own, as a client's runtime does for each new connection, and
// notes failures and the longest time between two good answers.
class resolver {
 public:
  resolver(std::shared_ptr<Ice::LocatorPrx> locator, std::chrono::microseconds pause)
      : locator_{std::move(locator)}, pause_{pause}, thread_{[this] { run(); }} {}
  ~resolver() { stop(); }
  resolver(const resolver&) = delete;
  resolver& operator=(const resolver&) = delete;

  /// Forgets what was; what counts begins now.
  void begin() {
    const std::lock_guard lock{mutex_};
    last_ = clock::now();
    longest_ = {};
    failures_ = 0;
  }

  /// The longest time without an answer, the present one included.
  [[nodiscard]] clock::duration longest_gap() {
    const std::lock_guard lock{mutex_};
    return std::max(longest_, clock::now() - last_);
  }

  [[nodiscard]] int failures() {
    const std::lock_guard lock{mutex_};
    return failures_;
  }

  void stop() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    const Ice::Identity id{object_name(0), ""};
    while (!ended_) {
      bool good = true;
      try {
        good = locator_->findObjectById(id) != nullptr;
      } catch (const std::exception&) {
        good = false;
      }
      {
        const std::lock_guard lock{mutex_};
        const auto now = clock::now();
        if (good) {
          longest_ = std::max(longest_, now - last_);
          last_ = now;
        } else {
          ++failures_;
        }
      }
      // tidy: allow, because it is the pace of the questions
      if (pause_.count() > 0) std::this_thread::sleep_for(pause_);
    }
  }

  const std::shared_ptr<Ice::LocatorPrx> locator_;
  const std::chrono::microseconds pause_;
  std::mutex mutex_;
  clock::time_point last_ = clock::now();
  clock::duration longest_{};
  int failures_ = 0;
  std::atomic<bool> ended_{false};
  std::thread thread_;  // last: it uses all of the above
};

// Changes that are sent at once; how long each took, up to a bound.
class changes_underway {
 public:
  changes_underway(const std::shared_ptr<IceGrid::AdminPrx>& admin, std::uint64_t first, std::size_t count)
      : state_{std::make_shared<shared>()}, began_{clock::now()}, count_{count} {
    const auto calls = add_object_calls({admin});
    for (std::size_t n = 0; n < count; ++n) {
      // Late answers find their state even when nobody waits for them any more.
      const auto note = [state = state_] {
        const std::lock_guard lock{state->mutex};
        state->answered.push_back(clock::now());
        state->changed.notify_all();
      };
      calls(n, first + n, note, [note](const std::exception_ptr&) { note(); });
    }
  }

  /// The time until `number` of them were answered; the bound when they were not within it.
  [[nodiscard]] double wait_ms(std::size_t number, std::chrono::seconds bound) {
    std::unique_lock lock{state_->mutex};
    const auto good =
        state_->changed.wait_until(lock, began_ + bound, [&] { return state_->answered.size() >= number; });
    return good ? milliseconds(state_->answered[number - 1] - began_) : milliseconds(bound);
  }
  [[nodiscard]] double wait_all_ms(std::chrono::seconds bound) { return wait_ms(count_, bound); }

 private:
  struct shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<clock::time_point> answered;
  };
  std::shared_ptr<shared> state_;
  clock::time_point began_;
  std::size_t count_;
};

std::shared_ptr<Ice::LocatorPrx> locator_at(const Ice::CommunicatorPtr& client, const std::string& text) {
  auto made = Ice::uncheckedCast<Ice::LocatorPrx>(
      client->stringToProxy(text)->ice_endpointSelection(Ice::EndpointSelectionType::Ordered));
  made->ice_ping();
  return made;
}

struct stall_rows {
  std::string_view after;
  row change, next, all_twelve, locate_master, locate_slave;

  explicit stall_rows(std::string_view after_what, double change_max_ms) : after{after_what} {
    change = named("the first of 12 changes");
    all_twelve = named("all of the 12 changes");
    next = named("the next change");
    locate_master = named("longest wait for a locate at the master meanwhile");
    locate_slave = named("longest wait for a locate at another slave meanwhile");
    change.targets = all_twelve.targets = {at_most(change_max_ms, target::kind::absolute)};
    // Unhindered, on a machine whose processors are shared by all these processes.
    next.targets = locate_master.targets = locate_slave.targets = {at_most(50, target::kind::absolute)};
  }

  [[nodiscard]] row named(std::string_view what) const {
    return {.measurement = "stalled-slave", .what = fmt::format("a slave {}: {}", after, what), .unit = "ms"};
  }

  void finish(context& with) {
    for (auto* each : {&change, &all_twelve, &next, &locate_master, &locate_slave}) {
      each->remark = "the stock registry once";
      with.rows.push_back(std::move(*each));
    }
  }
};

// One slave is gone or mute from now on: what that does to changes and to locates.
void measure_stall(context& with, grid& of, stall_rows& to, std::uint64_t& next_object,
                   const std::function<void()>& harm) {
  constexpr std::size_t changes = 12;  // as many as stall all threads of the stock registry
  const auto which = of.master->which();
  const auto bound = with.settings.stall_max;
  const Ice::CommunicatorHolder client{make_client()};
  const auto admin = admins(client.communicator(), *of.master, 1).front();
  resolver at_master{locator_at(client.communicator(), of.master->locator_text()), 500us};
  resolver at_slave{locator_at(client.communicator(), of.slaves.back()->locator_text()), 500us};

  at_master.begin();
  at_slave.begin();
  harm();
  changes_underway first{admin, next_object, changes};
  column(to.change, which).push_back(first.wait_ms(1, bound));
  column(to.all_twelve, which).push_back(first.wait_all_ms(bound));
  next_object += changes;
  changes_underway second{admin, next_object++, 1};
  column(to.next, which).push_back(second.wait_all_ms(bound));
  column(to.locate_master, which).push_back(milliseconds(at_master.longest_gap()));
  column(to.locate_slave, which).push_back(milliseconds(at_slave.longest_gap()));

  // Lets go of whoever still waits for an answer.
  for (const auto& slave : of.slaves) slave->running().kill();
  of.master->running().kill();
}

}  // namespace

void measure_failover(context& with) {
  row failures{.measurement = "failover",
               .what = "master killed under a client with two endpoints: failed resolves",
               .unit = "",
               .targets = {at_most(0, target::kind::absolute)}};
  row gap{.measurement = "failover",
          .what = "master killed: longest time between two answers",
          .unit = "ms",
          .targets = {at_most(20, target::kind::absolute)}};
  interleaved(with.settings.pairs, with.settings.products.size(), [&](std::size_t turn) {
    const auto which = with.settings.products[turn];
    auto grid = start_grid(with.settings.where, which, with.folder, 1);
    fill_objects(*grid.master, 100);
    grid.slaves.front()->wait_for_object(object_name(99));
    // With the default retries: they are what takes a client to the next endpoint.
    const Ice::CommunicatorHolder client{Ice::initialize()};
    const auto text = fmt::format("{}:{}", grid.master->locator_text(), grid.slaves.front()->client_endpoint());
    constexpr std::size_t threads = 4;
    std::vector<std::unique_ptr<resolver>> all;
    all.reserve(threads);
    for (std::size_t n = 0; n < threads; ++n) {
      all.push_back(std::make_unique<resolver>(locator_at(client.communicator(), text), 0us));
    }
    std::this_thread::sleep_for(200ms);  // tidy: allow, because the client resolves meanwhile
    for (const auto& one : all) one->begin();
    grid.master->running().kill();
    std::this_thread::sleep_for(1s);  // tidy: allow, because the client resolves meanwhile
    double failed = 0;
    clock::duration longest{};
    for (const auto& one : all) {
      failed += one->failures();
      longest = std::max(longest, one->longest_gap());
    }
    column(failures, which).push_back(failed);
    column(gap, which).push_back(milliseconds(longest));
  });
  with.rows.push_back(std::move(failures));
  with.rows.push_back(std::move(gap));
}

void measure_stalled_slave(context& with) {
  stall_rows killed{"killed", 1000};
  stall_rows stopped{"stopped", 2500};
  for (const auto which : with.settings.products) {
    // The stock registry stalls for a minute: once is enough.
    const int times = which == product::stock ? 1 : with.settings.pairs;
    for (int n = 0; n < times; ++n) {
      for (auto* rows : {&killed, &stopped}) {
        say(fmt::format("  {}: a slave is {}", to_text(which), rows->after));
        auto grid = start_grid(with.settings.where, which, with.folder, 2);
        fill_objects(*grid.master, 10);
        std::uint64_t next_object = 10;
        grid.slaves.back()->wait_for_object(object_name(9));
        auto& victim = grid.slaves.front()->running();
        measure_stall(with, grid, *rows, next_object, [&] { rows == &killed ? victim.kill() : victim.suspend(); });
      }
    }
  }
  killed.finish(with);
  stopped.finish(with);
}

}  // namespace muster::bench

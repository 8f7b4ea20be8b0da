#include "bench/receptionist/contests.hpp"

#include <chrono>
#include <cstdint>
#include <future>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include "muster/actor/actor_system.hpp"
#include "muster/os/actor_pool.hpp"

namespace muster::bench {

namespace {

using steady = std::chrono::steady_clock;

struct number {
  std::uint64_t value{0};
};

constexpr std::uint64_t told = 500'000;
constexpr std::uint64_t trips = 100'000;

double seconds_since(steady::time_point begin) { return std::chrono::duration<double>(steady::now() - begin).count(); }

actor_system make_system(std::size_t threads) {
  return {"bench", {.runs_on = os::actor_pool::make({.threads = threads}).value()}};
}

// --- one sender, one receiver ---

double tell_from_outside(std::size_t threads) {
  auto system = make_system(threads);
  std::promise<void> done;
  const auto sink = system.spawn<number>("sink", [&done](number message) {
    if (message.value == told) done.set_value();
  });
  const auto begin = steady::now();
  for (std::uint64_t i = 1; i <= told; ++i) {
    sink.tell(number{i});
  }
  done.get_future().wait();
  return told / seconds_since(begin);
}

double post_from_outside(std::size_t threads) {
  boost::asio::thread_pool pool{threads};
  auto strand = boost::asio::make_strand(pool.get_executor());
  std::promise<void> done;
  const auto begin = steady::now();
  for (std::uint64_t i = 1; i <= told; ++i) {
    boost::asio::post(strand, [&done, i] {
      if (i == told) done.set_value();
    });
  }
  done.get_future().wait();
  const double rate = told / seconds_since(begin);
  pool.join();
  return rate;
}

double tell_from_an_actor(std::size_t threads) {
  auto system = make_system(threads);
  std::promise<void> done;
  const auto sink = system.spawn<number>("sink", [&done](number message) {
    if (message.value == told) done.set_value();
  });
  const auto source = system.spawn<number>("source", [sink](number count) {
    for (std::uint64_t i = 1; i <= count.value; ++i) {
      sink.tell(number{i});
    }
  });
  const auto begin = steady::now();
  source.tell(number{told});
  done.get_future().wait();
  return told / seconds_since(begin);
}

double post_from_a_strand(std::size_t threads) {
  boost::asio::thread_pool pool{threads};
  auto to = boost::asio::make_strand(pool.get_executor());
  auto from = boost::asio::make_strand(pool.get_executor());
  std::promise<void> done;
  const auto begin = steady::now();
  boost::asio::post(from, [&] {
    for (std::uint64_t i = 1; i <= told; ++i) {
      boost::asio::post(to, [&done, i] {
        if (i == told) done.set_value();
      });
    }
  });
  done.get_future().wait();
  const double rate = told / seconds_since(begin);
  pool.join();
  return rate;
}

// --- there and back ---

struct ball {
  std::uint64_t left{0};
  actor_ref<ball> back;
};

double ping_pong_of_actors(std::size_t threads) {
  auto system = make_system(threads);
  std::promise<void> done;
  const auto player = [&done](actor_context<ball>& self, const ball& message) {
    if (message.left == 0) return done.set_value();
    message.back.tell(ball{message.left - 1, self.self()});
  };
  const auto ping = system.spawn<ball>("ping", player);
  const auto pong = system.spawn<ball>("pong", player);
  const auto begin = steady::now();
  ping.tell(ball{2 * trips, pong});
  done.get_future().wait();
  return trips / seconds_since(begin);
}

double ping_pong_of_strands(std::size_t threads) {
  boost::asio::thread_pool pool{threads};
  using strand = boost::asio::strand<boost::asio::thread_pool::executor_type>;
  strand ping = boost::asio::make_strand(pool.get_executor());
  strand pong = boost::asio::make_strand(pool.get_executor());
  std::promise<void> done;
  struct player {
    strand* here;
    strand* there;
    std::promise<void>* done;
    std::uint64_t left;
    void operator()() const {
      if (left == 0) return done->set_value();
      boost::asio::post(*there, player{there, here, done, left - 1});
    }
  };
  const auto begin = steady::now();
  boost::asio::post(ping, player{&ping, &pong, &done, 2 * trips});
  done.get_future().wait();
  const double rate = trips / seconds_since(begin);
  pool.join();
  return rate;
}

}  // namespace

const std::vector<contest>& all_contests() {
  static const std::vector<contest> all{
      {"tell, one sender outside of actors, one actor", "messages/s", tell_from_outside, post_from_outside},
      {"tell, one actor to another", "messages/s", tell_from_an_actor, post_from_a_strand},
      {"ping-pong between two actors", "round trips/s", ping_pong_of_actors, ping_pong_of_strands},
  };
  return all;
}

}  // namespace muster::bench

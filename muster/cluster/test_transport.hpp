#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "muster/actor/executor.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/cluster/transport.hpp"

namespace muster::cluster::testing {

/// A network in memory, under the virtual time of an executor: it loses, doubles, delays and cuts as it is told. The
/// same seed and the same calls give the same run. Outlives its transports.
class memory_network {
 public:
  struct faults {
    std::uint64_t lost_percent{0};
    std::uint64_t doubled_percent{0};
    duration delay_min{std::chrono::microseconds{100}};
    duration delay_max{std::chrono::milliseconds{1}};
    bool in_order{true};  ///< of one channel between two nodes, as a connection is; else frames overtake each other
  };

  faults weather;
  std::size_t in_flight_bytes_max{std::size_t{16} * 1024 * 1024};  ///< to one address on one channel
  std::function<void(const std::string& from, const std::string& to, channel on, const bytes& frame)> on_send;
  std::uint64_t frames{0};
  std::uint64_t sent_bytes{0};

  memory_network(std::shared_ptr<actor_executor> on, std::uint64_t seed)
      : executor_{std::move(on)}, random_{seed}, alarm_{std::make_shared<alarm>(*this)} {}
  memory_network(const memory_network&) = delete;
  memory_network& operator=(const memory_network&) = delete;
  ~memory_network() { executor_->wake_at(instant_never, alarm_); }

  /// One that will listen at this address. `authenticated` is what others are told of the sender's name.
  [[nodiscard]] std::shared_ptr<transport> make_transport(std::string address, std::string authenticated = {}) {
    known_hosts_.insert(address);
    return std::make_shared<memory_transport>(*this, std::move(address), std::move(authenticated));
  }

  /// kill -9 of the process at this address: nothing more comes from it or reaches it. Connections to it break, unless
  /// `quietly`.
  void kill(const std::string& address, bool quietly = false) {
    const auto here = listeners_.find(address);
    if (here == listeners_.end()) return;
    here->second->receiver_ = nullptr;
    listeners_.erase(here);
    if (quietly) return;
    for (const auto& [other, one] : listeners_) {
      if (contacts_.contains(std::minmax(other, address))) tell_lost(other, address);
    }
  }

  /// Nothing gets through between the two, and nobody is told.
  void cut(const std::string& left, const std::string& right) { cuts_.insert(std::minmax(left, right)); }
  void mend(const std::string& left, const std::string& right) { cuts_.erase(std::minmax(left, right)); }
  void mend_all() { cuts_.clear(); }
  [[nodiscard]] bool is_cut(const std::string& left, const std::string& right) const {
    return cuts_.contains(std::minmax(left, right));
  }
  /// A connection breaks and what was on its way is lost, though both ends live.
  void break_connection(const std::string& left, const std::string& right) {
    std::erase_if(flights_, [&](const auto& one) {
      return !one.second.deliver_to.empty() && one.second.carries(left, right) && (release(one.second), true);
    });
    tell_lost(left, right);
    tell_lost(right, left);
  }

  /// Bytes that somebody sends from outside of the cluster.
  void inject(const std::string& to, bytes frame, std::string authenticated = {}) {
    const auto here = listeners_.find(to);
    if (here != listeners_.end()) here->second->receiver_->handle_frame(std::move(frame), authenticated);
  }

 private:
  class memory_transport final : public transport {
   public:
    memory_transport(memory_network& in, std::string address, std::string authenticated)
        : network_{in}, address_{std::move(address)}, authenticated_{std::move(authenticated)} {}
    ~memory_transport() override { stop(); }

    result<std::string> start(std::shared_ptr<transport_receiver> to) override {
      if (!network_.listeners_.emplace(address_, this).second) {
        return fail(errc::already_exists, "somebody listens at {} already", address_);
      }
      receiver_ = std::move(to);
      return address_;
    }
    void stop() override {
      if (receiver_ == nullptr) return;
      network_.listeners_.erase(address_);
      receiver_ = nullptr;
    }
    send_outcome send(const std::string& address, channel on, const shared_frame& frame) override {
      if (receiver_ == nullptr) return send_outcome::accepted;  // nobody is there any more who would care
      if (!has_room(address, on, frame->size())) return send_outcome::refused;
      network_.carry(*this, address, on, frame);
      return send_outcome::accepted;
    }
    bool has_room(const std::string& address, channel on, std::size_t frame_bytes) const override {
      const auto found = in_flight_->find({address, on});
      return (found == in_flight_->end() ? 0 : found->second) + frame_bytes <= network_.in_flight_bytes_max;
    }

   private:
    friend class memory_network;
    memory_network& network_;
    const std::string address_;
    const std::string authenticated_;
    std::shared_ptr<transport_receiver> receiver_;
    std::shared_ptr<std::map<std::pair<std::string, channel>, std::size_t>> in_flight_{
        std::make_shared<std::map<std::pair<std::string, channel>, std::size_t>>()};
  };

  using in_flight = std::map<std::pair<std::string, channel>, std::size_t>;

  struct flight {
    std::string from{};
    std::string deliver_to{};  // empty: no frame, but news of the connection to `from`
    std::string authenticated{};
    channel on{};
    shared_frame frame{};
    std::shared_ptr<in_flight> counted_in{};
    std::function<void()> instead{};

    [[nodiscard]] bool carries(const std::string& left, const std::string& right) const {
      return (from == left && deliver_to == right) || (from == right && deliver_to == left);
    }
  };

  class alarm final : public runnable {
   public:
    explicit alarm(memory_network& of) : network_{of} {}
    void run() noexcept override { network_.arrive(); }

   private:
    memory_network& network_;
  };

  [[nodiscard]] duration some_delay() {
    const auto span = static_cast<std::uint64_t>((weather.delay_max - weather.delay_min).count());
    return weather.delay_min + duration{static_cast<duration::rep>(random_.below(span + 1))};
  }

  void schedule(instant when, flight what) {
    flights_.emplace(std::pair{when, ++order_}, std::move(what));
    if (!arriving_) executor_->wake_at(flights_.begin()->first.first, alarm_);
  }

  void carry(memory_transport& from, const std::string& to, channel on, const shared_frame& frame) {
    ++frames;
    sent_bytes += frame->size();
    if (on_send) on_send(from.address_, to, on, *frame);
    if (is_cut(from.address_, to)) return;
    contacts_.insert(std::minmax(from.address_, to));
    if (!listeners_.contains(to)) {
      if (known_hosts_.contains(to)) {
        // The host is there and nobody listens.
        schedule(executor_->now() + some_delay(), {.from = to, .instead = [this, asker = from.address_, to] {
                                                     const auto here = listeners_.find(asker);
                                                     if (here != listeners_.end() && !is_cut(asker, to)) {
                                                       here->second->receiver_->handle_connection_refused(to);
                                                     }
                                                   }});
      }
      return;
    }
    const std::uint64_t copies = random_.chance(weather.lost_percent, 100)      ? 0
                                 : random_.chance(weather.doubled_percent, 100) ? 2
                                                                                : 1;
    for (std::uint64_t i = 0; i < copies; ++i) {
      instant due = executor_->now() + some_delay();
      if (weather.in_order) {
        instant& last = last_due_[{from.address_, to, on}];
        last = due = std::max(due, last);
      }
      (*from.in_flight_)[{to, on}] += frame->size();
      schedule(due, {.from = from.address_,
                     .deliver_to = to,
                     .authenticated = from.authenticated_,
                     .on = on,
                     .frame = frame,
                     .counted_in = from.in_flight_});
    }
  }

  static void release(const flight& what) {
    if (what.counted_in) (*what.counted_in)[{what.deliver_to, what.on}] -= what.frame->size();
  }

  void tell_lost(const std::string& whom, const std::string& about) {
    if (is_cut(whom, about)) return;
    schedule(executor_->now() + some_delay(), {.from = about, .instead = [this, whom, about] {
                                                 const auto here = listeners_.find(whom);
                                                 if (here != listeners_.end()) {
                                                   here->second->receiver_->handle_connection_lost(about);
                                                 }
                                               }});
  }

  void arrive() {
    arriving_ = true;
    while (!flights_.empty() && flights_.begin()->first.first <= executor_->now()) {
      const flight what = std::move(flights_.extract(flights_.begin()).mapped());
      release(what);
      if (what.instead) {
        what.instead();
        continue;
      }
      const auto here = listeners_.find(what.deliver_to);
      if (here != listeners_.end() && !is_cut(what.from, what.deliver_to)) {
        here->second->receiver_->handle_frame(*what.frame, what.authenticated);
      }
    }
    arriving_ = false;
    if (!flights_.empty()) executor_->wake_at(flights_.begin()->first.first, alarm_);
  }

  const std::shared_ptr<actor_executor> executor_;
  prng random_;
  const std::shared_ptr<alarm> alarm_;
  std::map<std::string, memory_transport*> listeners_;
  std::set<std::string> known_hosts_;
  std::set<std::pair<std::string, std::string>> contacts_;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::map<std::pair<instant, std::uint64_t>, flight> flights_;
  std::map<std::tuple<std::string, std::string, channel>, instant> last_due_;
  std::uint64_t order_{0};
  bool arriving_{false};
};

}  // namespace muster::cluster::testing

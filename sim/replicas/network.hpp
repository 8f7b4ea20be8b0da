#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/prng.hpp"
#include "muster/replication/messages.hpp"
#include "sim/links.hpp"
#include "sim/scheduler.hpp"
#include "sim/trace.hpp"

namespace muster::sim::replicas {

using replication::peer_id;

/// The machines' network: ways between processes, on which messages are delayed, lost, doubled and overtaken, cuts in
/// either direction, and the news, sooner or later, that the process at the other end is gone.
class network {
 public:
  /// Receives what arrives at a live process.
  class receiver {
   public:
    virtual ~receiver() = default;
    virtual void deliver(node_index at, peer_id from, bytes content) = 0;
    virtual void gone(node_index at, peer_id which) = 0;
  };

  enum class style : std::uint8_t {
    datagrams,  ///< each message for itself: lost, doubled, overtaken
    streams,    ///< as over TCP: in order and whole, held back by a cut, until the way breaks
  };

  struct options {
    std::size_t nodes{0};
    network::style style{network::style::datagrams};
    /// How often the end of a process is noticed at the other ends of its ways; else only silence tells.
    std::uint32_t ends_noticed_percent{100};
    /// A stream that a cut holds up for so long breaks.
    duration stalled_stream_timeout{std::chrono::seconds{8}};
  };

  network(const options& how, scheduler& clock, prng& draws, trace& log, receiver& to);

  void process_started(node_index at);
  void process_ended(node_index at);

  /// A new way from the process at `from` to whatever process runs at `to` when the first message arrives there. If
  /// none does, the way is gone.
  [[nodiscard]] peer_id connect(node_index from, node_index to);
  [[nodiscard]] bool is_open(peer_id which) const;
  /// The machine at the other end.
  [[nodiscard]] node_index far_end(peer_id which) const;
  void send(peer_id to, bytes content);

  [[nodiscard]] links& between() noexcept { return links_; }
  /// Breaks one open way, if there is one: a reset connection.
  void break_some_way();
  /// Ends of processes are noticed always from now on.
  void set_faithful();

 private:
  struct end {
    node_index node{0};
    std::uint64_t life{0};       ///< of the process; 0 while none has taken the way up
    bool told{false};            ///< knows that the way is gone: nothing arrives here any more
    std::deque<bytes> arriving;  ///< streams: what is on its way to this end
    instant last_arrival{};
    instant stalled_since{instant_never};
  };
  /// `ends[0]` opened it. The id of the way at `ends[i]` is 2 * index + i + 1.
  struct way {
    end ends[2];
    bool broken{false};
  };

  struct place {
    std::size_t index;
    std::size_t side;
  };
  [[nodiscard]] static place place_of(peer_id which) noexcept;
  [[nodiscard]] static peer_id id_at(const place& where) noexcept { return peer_id{2 * where.index + where.side + 1}; }
  /// `to` is the receiving end.
  void arrive(const place& to, bytes content);
  void stream_arrives(const place& to);
  void break_way(std::size_t index);
  void tell_gone(const place& whom, int attempts);

  options options_;
  scheduler& clock_;
  prng& draws_;
  trace& log_;
  receiver& receiver_;
  links links_;
  std::vector<way> ways_;
  std::vector<std::uint64_t> lives_;  ///< the life of the process that runs on each machine; 0 = none
  std::uint64_t lives_given_{0};
};

}  // namespace muster::sim::replicas

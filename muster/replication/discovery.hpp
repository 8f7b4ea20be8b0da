#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/replication/core.hpp"
#include "muster/replication/messages.hpp"

namespace muster::replication {

/// One round of asking all reachable replicas who they are, bounded in time. Used by a starting master, a searching
/// slave, and a master that looks whether another one has appeared.
class discovery {
 public:
  struct answer {
    peer_id from;
    self_description who;
  };

  /// Asks the driver to ask. The round is over at `now + timeout` at the latest.
  void begin(core& shared, instant now, duration timeout);
  void cancel() noexcept { running_ = false; }

  /// An answer to this round (others are left alone). A replica that answers on several ways counts once, by its
  /// first.
  void handle_description(peer_id from, const description& what, instant now);
  void handle_complete(std::uint64_t round) noexcept;
  void handle_peer_gone(peer_id which) noexcept;

  /// Ends the round early, at `at`: what was sought is there, and others get only so long to show something better.
  void end_by(instant at) noexcept;

  [[nodiscard]] bool running() const noexcept { return running_; }
  [[nodiscard]] bool over(instant now) const noexcept { return running_ && (complete_ || now >= deadline_); }
  [[nodiscard]] instant deadline() const noexcept {
    return running_ ? (complete_ ? instant{} : deadline_) : instant_never;
  }
  /// The replicas that answered, without this one itself.
  [[nodiscard]] const std::vector<answer>& answers() const noexcept { return answers_; }
  [[nodiscard]] std::vector<self_description> described() const;

 private:
  std::uint64_t round_{0};
  uuid self_;
  bool running_{false};
  bool complete_{false};
  instant deadline_{};
  std::vector<answer> answers_;
};

}  // namespace muster::replication

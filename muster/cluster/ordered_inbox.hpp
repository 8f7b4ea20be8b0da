#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/cluster/actor_messages.hpp"
#include "muster/cluster/options.hpp"

namespace muster::cluster {

/// Puts numbered messages of one sender back into their order, each once. What overtook others waits for them, but
/// neither long nor in great numbers: then what is lacking is given up, and dropped should it come after all.
class ordered_inbox {
 public:
  explicit ordered_inbox(const options& how) noexcept : how_{how} {}

  /// Since the last `reset`.
  struct counters {
    std::uint64_t doubled{0};   ///< came again, or after they had been given up
    std::uint64_t given_up{0};  ///< numbers that were not waited for any longer
  };

  /// Appends what can be handed out now.
  void take(std::uint64_t sequence, actor_message what, std::size_t frame_bytes, instant now,
            std::vector<actor_message>& out);
  void handle_tick(instant now, std::vector<actor_message>& out);
  /// The sender begins anew with number 1; what waited is dropped.
  void reset();
  [[nodiscard]] instant next_deadline() const noexcept {
    return waiting_.empty() ? instant_never : waiting_.begin()->second.came_at + how_.gap_timeout;
  }
  [[nodiscard]] const counters& counted() const noexcept { return counted_; }

 private:
  struct early {
    actor_message what;
    std::size_t bytes{0};
    instant came_at;
  };

  void hand_out_next(std::vector<actor_message>& out);
  void skip_gap(std::vector<actor_message>& out);

  const options& how_;
  std::uint64_t expected_{1};
  std::map<std::uint64_t, early> waiting_;
  std::size_t waiting_bytes_{0};
  counters counted_;
};

}  // namespace muster::cluster

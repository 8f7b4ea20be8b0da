#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/options.hpp"
#include "muster/replication/state_machine.hpp"

namespace muster::replication {

/// Streams one immutable state to one replica: a few chunks are on their way, and each acknowledgement lets as many
/// new ones go. Chunks are kept only until they are acknowledged.
class snapshot_sender {
 public:
  /// `recent`: the changes after `of.acknowledged` up to `of.last`.
  snapshot_sender(std::unique_ptr<snapshot_source> source, history of, std::vector<log_entry> recent,
                  const options& how);

  /// The serial of the snapshot.
  [[nodiscard]] serial at() const noexcept { return of_.last; }
  /// All chunks, the last one included, are acknowledged.
  [[nodiscard]] bool finished() const noexcept { return all_cut_ && on_their_way_.empty(); }
  /// When something was acknowledged last, or the sender was made.
  [[nodiscard]] instant last_progress() const noexcept { return last_progress_; }

  void start(instant now) noexcept { last_progress_ = now; }
  /// All chunks below `next_index` have arrived.
  void handle_received(std::uint64_t next_index, instant now);
  /// Appends the chunks that may go now: new ones within the window, or the oldest again when it has been
  /// unacknowledged for too long.
  void poll_chunks(session_id session, instant now, std::vector<message>& out);
  /// When the oldest chunk is to be sent again.
  [[nodiscard]] instant resend_due() const noexcept;

 private:
  std::unique_ptr<snapshot_source> source_;
  history of_;
  std::vector<log_entry> recent_;
  const options& how_;
  std::deque<snapshot_chunk> on_their_way_;
  std::uint64_t next_index_{0};
  bool all_cut_{false};
  instant last_progress_{};
  instant last_sent_{};
};

}  // namespace muster::replication

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/state_machine.hpp"

namespace muster::replication {

/// The chunks of one snapshot put in order, and the state that grows from them beside the present one.
class snapshot_receiver {
 public:
  explicit snapshot_receiver(std::unique_ptr<snapshot_sink> sink) : sink_{std::move(sink)} {}

  /// Keeps a chunk until its turn. False for one that was had before: it is to be acknowledged again.
  bool offer(snapshot_chunk&& chunk);
  /// The chunk whose turn it is, if it is there.
  [[nodiscard]] std::optional<snapshot_chunk> take_next();
  [[nodiscard]] std::uint64_t next_index() const noexcept { return next_index_; }
  /// The chunk that was taken last is stored.
  void stored() { early_.erase(next_index_++); }

  [[nodiscard]] result<std::vector<row_write>> rows_of(const snapshot_chunk& chunk);
  /// The last chunk is there: is the whole what it says? `corrupt` if not.
  [[nodiscard]] result<void> finish(const snapshot_chunk& last);
  [[nodiscard]] std::unique_ptr<snapshot_sink> take_sink() && { return std::move(sink_); }

 private:
  std::unique_ptr<snapshot_sink> sink_;
  std::map<std::uint64_t, snapshot_chunk> early_;
  std::uint64_t next_index_{0};
};

}  // namespace muster::replication

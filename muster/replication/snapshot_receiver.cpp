#include "muster/replication/snapshot_receiver.hpp"

#include <utility>

namespace muster::replication {

bool snapshot_receiver::offer(snapshot_chunk&& chunk) {
  // A sender has a handful of chunks on their way; more than this is not from one.
  constexpr std::uint64_t early_chunks_max = 64;
  if (chunk.index < next_index_) {
    return false;
  }
  if (chunk.index < next_index_ + early_chunks_max) {
    const std::uint64_t index = chunk.index;
    early_.try_emplace(index, std::move(chunk));
  }
  return true;
}

std::optional<snapshot_chunk> snapshot_receiver::take_next() {
  auto found = early_.extract(next_index_);
  if (found.empty()) {
    return std::nullopt;
  }
  return std::move(found.mapped());
}

result<std::vector<row_write>> snapshot_receiver::rows_of(const snapshot_chunk& chunk) {
  std::vector<row_write> rows;
  if (auto added = sink_->add(chunk.content.view(), rows); !added) {
    return fail(std::move(added).error());
  }
  return rows;
}

result<void> snapshot_receiver::finish(const snapshot_chunk& last) {
  const history& whole = last.history;
  if (!whole.has_copy() || whole.last.value() - whole.acknowledged.value() != last.recent.size()) {
    return fail(errc::corrupt, "the snapshot at {} brings {} changes after {}", whole.last, last.recent.size(),
                whole.acknowledged);
  }
  return sink_->finish();
}

}  // namespace muster::replication

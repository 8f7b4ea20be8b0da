#include "muster/replication/change_log.hpp"

#include <algorithm>
#include <utility>

#include "muster/base/invariant.hpp"

namespace muster::replication {

result<change_log> change_log::from_entries(std::vector<log_entry> entries, serial last) {
  if (entries.size() > last.value()) {
    return fail(errc::corrupt, "the log holds {} changes, the database has had {}", entries.size(), last);
  }
  change_log out{serial{last.value() - entries.size()}};
  for (auto& entry : entries) {
    if (entry.number != next(out.last_)) {
      return fail(errc::corrupt, "the log holds change {} where change {} belongs; the database ends at {}",
                  entry.number, next(out.last_), last);
    }
    out.append(std::move(entry));
  }
  return out;
}

void change_log::copy_after(serial after, std::size_t bytes_max, std::vector<log_entry>& out) const {
  MUSTER_INVARIANT(reaches_back_to(after), "changes are read from the log only where it still holds them");
  if (after >= last_) {
    return;
  }
  std::size_t taken_bytes = 0;
  const std::size_t before = out.size();
  for (std::size_t i = after.value() + 1 - first().value(); i < entries_.size(); ++i) {
    const std::size_t entry_bytes = entries_[i].change.size_bytes();
    if (out.size() > before && taken_bytes + entry_bytes > bytes_max) {
      return;
    }
    taken_bytes += entry_bytes;
    out.push_back(entries_[i]);
  }
}

void change_log::append(log_entry entry) {
  MUSTER_INVARIANT(entry.number == next(last_), "the log has no gap");
  last_ = entry.number;
  held_bytes_ += entry.change.size_bytes();
  entries_.push_back(std::move(entry));
}

void change_log::trim_below(serial number) {
  while (!entries_.empty() && entries_.front().number < number) {
    held_bytes_ -= entries_.front().change.size_bytes();
    entries_.pop_front();
  }
}

serial change_log::trim_point(const bounds& limits, const std::vector<log_entry>& added) const {
  std::size_t count = entries_.size() + added.size();
  std::size_t total_bytes = held_bytes_;
  for (const auto& entry : added) {
    total_bytes += entry.change.size_bytes();
  }
  serial keep_from = first();
  for (std::size_t i = 0; i < entries_.size() && keep_from <= limits.never_beyond; ++i) {
    const bool is_read = keep_from > limits.keep_after;
    const bool too_much = count > limits.entries_max || total_bytes > limits.bytes_max;
    if (is_read ? total_bytes <= limits.bytes_hard_max : !too_much) {
      break;
    }
    total_bytes -= entries_[i].change.size_bytes();
    --count;
    keep_from = next(keep_from);
  }
  return keep_from;
}

}  // namespace muster::replication

#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/store.hpp"

namespace muster::replication {

/// The recent changes in memory, as in the store: numbered without a gap up to the last change of the database. Slaves
/// that missed a few changes catch up from it, and a tail that has to be dropped is saved from it.
class change_log {
 public:
  /// An empty log behind change `last`.
  explicit change_log(serial last = serial{0}) noexcept : last_{last} {}

  /// `corrupt` unless the entries are numbered without a gap and end at `last`.
  [[nodiscard]] static result<change_log> from_entries(std::vector<log_entry> entries, serial last);

  /// The oldest change held; next(last()) when none is.
  [[nodiscard]] serial first() const noexcept { return serial{last_.value() + 1 - entries_.size()}; }
  [[nodiscard]] serial last() const noexcept { return last_; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

  /// All changes after `after` are held.
  [[nodiscard]] bool reaches_back_to(serial after) const noexcept { return next(after) >= first(); }

  /// Appends to `out` the changes after `after`, at least one if there is one and then about `bytes_max` bytes of them.
  /// The log must reach back to `after`.
  void copy_after(serial after, std::size_t bytes_max, std::vector<log_entry>& out) const;

  /// The next change; its number must be next(last()).
  void append(log_entry entry);
  void trim_below(serial number);

  struct bounds {
    std::size_t entries_max{0};
    std::size_t bytes_max{0};
    std::size_t bytes_hard_max{0};
    serial keep_after;    ///< kept up to the hard bound: somebody is reading on from here
    serial never_beyond;  ///< changes after this one are always kept
  };
  /// Below which number the log is to be trimmed once `added` has been appended, so that it keeps the bounds.
  [[nodiscard]] serial trim_point(const bounds& limits, const std::vector<log_entry>& added) const;

 private:
  std::deque<log_entry> entries_;
  serial last_;
  std::size_t held_bytes_{0};
};

}  // namespace muster::replication

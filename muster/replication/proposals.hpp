#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/core.hpp"
#include "muster/replication/options.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/ready.hpp"

namespace muster::replication {

/// A master's proposals on their way: waiting for a batch, in the batch being committed, or committed and waiting for
/// the slaves. Each leaves exactly once, as a completion.
class proposals {
 public:
  explicit proposals(core& shared) noexcept : core_{shared} {}

  /// Takes a proposal, or completes it with `limit_exceeded`.
  void add(ticket of, bytes change);
  /// Something is answered with `outcome` as soon as all up to `after` is acknowledged.
  void answer_after(ticket of, serial after, result<serial> outcome);

  [[nodiscard]] bool anything_proposed() const noexcept { return !proposed_.empty(); }
  /// What waits for a batch.
  [[nodiscard]] std::size_t proposed() const noexcept { return proposed_.size(); }
  /// What is committed and waits for slaves.
  [[nodiscard]] std::size_t committed() const noexcept { return waiting_.size(); }

  /// Stages proposals, in order, on the machine: at most `changes_max` of them and about `bytes_max` bytes. Those that
  /// the machine refuses are answered when what was staged before them is acknowledged (their refusal may rest on it),
  /// or with the commit's error. An empty `entries` afterwards means that all were refused: nothing is to be committed.
  struct batch {
    std::vector<log_entry> entries;
    std::vector<row_write> rows;
  };
  [[nodiscard]] batch stage_batch(std::size_t changes_max, std::size_t bytes_max);
  void batch_succeeded();
  void batch_failed(const error& why);

  /// Answers all that wait for nothing after `upto`, and says how many those are.
  std::size_t release(serial upto);
  /// Answers the same, but what was to be a success with an error.
  void release_failed(serial upto, const error& why);
  /// Answers everything: what is not committed with `uncommitted`, what is with `committed`.
  void fail_all(const error& uncommitted, const error& committed);

  [[nodiscard]] std::size_t size() const noexcept { return proposed_.size() + staged_.size() + waiting_.size(); }

 private:
  struct proposal {
    ticket of;
    bytes change;
  };
  struct answer {
    ticket of;
    serial after;
    result<serial> outcome;
    std::size_t change_bytes{0};
  };

  void finish(answer& done, result<serial> outcome);

  core& core_;
  std::deque<proposal> proposed_;
  std::vector<answer> staged_;  // in the batch being committed
  std::deque<answer> waiting_;  // by `after`
  std::size_t held_bytes_{0};
};

}  // namespace muster::replication

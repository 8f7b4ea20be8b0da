#pragma once

#include <cstddef>

#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/core.hpp"
#include "muster/replication/discovery.hpp"
#include "muster/replication/proposals.hpp"
#include "muster/replication/ready.hpp"
#include "muster/replication/shipping.hpp"

namespace muster::replication {

/// A serving master's own part: orders proposals in batches, answers callers when the slaves have what they were told,
/// and stops for good when another master turns up.
class leader {
 public:
  leader(core& shared, shipping& slaves) noexcept : core_{shared}, slaves_{slaves}, proposals_{shared} {}

  /// The term is durable: changes are taken from now on.
  void start(instant now);
  void handle_proposal(ticket of, bytes change);
  void handle_barrier(ticket of, instant now);
  /// The batch's step is done.
  void handle_committed(const result<void>& outcome, instant now);
  /// A slave has acknowledged, come or gone: answers whom it lets be answered.
  void advance(instant now);
  /// Another replica said who it is, in whatever message.
  void observe(const self_description& other, instant now);
  void handle_tick(instant now);
  [[nodiscard]] instant next_deadline() const;
  /// Takes no more changes: `phase` and `why` stay. Uncommitted proposals get `uncommitted`, committed ones that are
  /// not acknowledged get `outcome_unknown`.
  void stop(phase as, refusal reason, const error& uncommitted, instant now);

  /// Begins the next batch if nothing is being stored.
  void begin_batch(instant now);
  [[nodiscard]] std::size_t waiting() const noexcept { return proposals_.size(); }

 private:
  /// What is proposed is committed from then on, if nothing happens before.
  [[nodiscard]] instant batch_due() const;
  /// Answers all that wait for nothing after what is acknowledged.
  void answer(instant now);
  void step_down(const self_description& other, const std::string& why, instant now);

  core& core_;
  shipping& slaves_;
  proposals proposals_;
  /// When to ask again whether another master has appeared. The answers come to `observe`, as all descriptions do.
  instant watch_due_{instant_never};
  discovery watch_;
  bool storage_complained_{false};
  instant shipped_{};                     ///< when the newest batch went to the slaves
  instant begun_{};                       ///< when the newest batch was begun
  instant gather_until_{};                ///< the changes of those just answered are waited for
  std::size_t expected_after_answer_{0};  ///< changes, if each of these callers has another one
  /// After `storage_full` one change at a time is tried, so that those which free space get through.
  std::size_t batch_changes_max_{1};
  std::string other_master_told_;
};

}  // namespace muster::replication

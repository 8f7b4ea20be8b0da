#pragma once

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/core.hpp"
#include "muster/replication/discovery.hpp"
#include "muster/replication/judgement.hpp"

namespace muster::replication {

/// The beginning of a replica's life: a master asks the replicas it knows whether it may serve, and both roles persist
/// what the start means before anything else happens.
class starter {
 public:
  explicit starter(core& shared) noexcept : core_{shared} {}

  void start(instant now);
  void handle_description(peer_id from, const description& what, instant now);
  void handle_discovery_complete(std::uint64_t round) noexcept;
  void handle_committed(const result<void>& outcome);
  void handle_tick(instant now);
  [[nodiscard]] instant next_deadline() const noexcept;
  /// Begins the step that persists the start, when the store is free.
  void begin_steps();

  /// The start is durable, and the role may begin.
  [[nodiscard]] bool done() const noexcept { return now_ == step::done; }
  /// Ends the start: the process must not go on.
  void refuse(const std::string& sentence);

 private:
  enum class step { idle, asking, ready_to_persist, persisting, done, refused };

  void decide();

  core& core_;
  step now_{step::idle};
  discovery round_;
  durable_meta after_;
  std::string told_when_durable_;
};

}  // namespace muster::replication

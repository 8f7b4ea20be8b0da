#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/invariant.hpp"
#include "muster/base/prng.hpp"
#include "muster/base/uuid.hpp"
#include "muster/replication/journal.hpp"
#include "muster/replication/message_codec.hpp"
#include "muster/replication/options.hpp"
#include "muster/replication/ready.hpp"
#include "muster/replication/state_machine.hpp"

namespace muster::replication {

/// Which part of a replica began the step that is under way, and hears its outcome.
enum class step_owner : std::uint8_t { none, flush, starter, leader, follower };

/// What the parts of one replica share: what is durable, what it is doing, and the effects collected for the driver.
/// Inside the folder only.
struct core {
  core(options with, durable_meta meta, change_log log, state_machine& of, prng& entropy)
      : how{std::move(with)},
        machine{of},
        random{entropy},
        incarnation{uuid::random(entropy)},
        durable{std::move(meta), std::move(log), how} {}
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  options how;
  state_machine& machine;
  prng& random;
  uuid incarnation;
  journal durable;
  phase doing{phase::asking};
  std::string trouble;
  roster replicas;
  ready out;
  step_owner stepping{step_owner::none};
  std::uint64_t last_round{0};

  [[nodiscard]] const history& position() const noexcept { return durable.position(); }

  [[nodiscard]] self_description describe_self() const {
    return {.versions = how.versions,
            .name = how.name,
            .incarnation = incarnation,
            .role = how.role,
            .phase = doing,
            .history = position(),
            .endpoints = how.endpoints};
  }

  void send(peer_id to, message what, std::uint8_t version = handshake_version) {
    out.messages.push_back({to, version, std::move(what)});
  }

  void complete(ticket of, result<serial> outcome) { out.completions.push_back({of, std::move(outcome)}); }

  void tell(event_kind kind, std::string other, std::string sentence, std::optional<refusal> why = std::nullopt) {
    out.events.push_back({kind, std::move(other), position().last, std::move(sentence), why});
  }

  void begin_step(step_owner who, commit step) {
    MUSTER_INVARIANT(stepping == step_owner::none && !out.persist, "one step at a time goes to the store");
    stepping = who;
    out.persist = std::move(step);
  }

  /// The replicas that serve, as far as this one knows: the driver is told when that changed.
  void set_replicas(bool master_first, std::vector<replica_info> serving) {
    if (replicas.version == 0 || master_first != replicas.master_first || serving != replicas.replicas) {
      replicas = {.version = replicas.version + 1, .master_first = master_first, .replicas = std::move(serving)};
      out.replicas = std::make_shared<const roster>(replicas);
    }
  }

  /// A time between half of `about` and one and a half of it, so that replicas do not move in step.
  [[nodiscard]] duration jittered(duration about) {
    const auto span = static_cast<std::uint64_t>(about.count());
    return duration{static_cast<duration::rep>(span / 2 + random.below(span + 1))};
  }
};

}  // namespace muster::replication

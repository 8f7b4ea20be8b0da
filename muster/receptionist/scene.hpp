#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "muster/actor/guarded.hpp"
#include "muster/actor/system_core.hpp"
#include "muster/receptionist/roster.hpp"

namespace muster::receptionist {

/// What is counted from the start of a receptionist; never falls.
struct counters {
  std::uint64_t registered{0};    ///< new registrations of this node
  std::uint64_t deregistered{0};  ///< of this node, by whatever cause
  std::uint64_t refused{0};       ///< registrations that were refused
  std::uint64_t subscriptions_rejected{0};
  std::uint64_t listings_told{0};         ///< answers and notifications
  std::uint64_t mismatched_types{0};      ///< kinds of left-out registrations: (key, type asked for, type registered)
  std::uint64_t messages_without_use{0};  ///< nobody to answer, or to add
  std::uint64_t failures{0};              ///< exceptions while a message was handled: each is an error in the log
};

/// What listings need of the process that they are read in: how refs are made of rows, and where is told what was left
/// out. Any thread.
class scene {
 public:
  explicit scene(std::shared_ptr<actor_kernel::system_core> system) noexcept : system_{std::move(system)} {}
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;
  ~scene() = default;

  [[nodiscard]] const std::shared_ptr<actor_kernel::system_core>& system() const noexcept { return system_; }
  [[nodiscard]] actor_address address_of(const row& which) const;

  /// Under this key an actor is registered whose messages have another type than is asked for. Logged once for each
  /// combination of the three.
  void note_mismatch(const gossip::shared_text& key, std::string_view asked_for, const row& found);
  [[nodiscard]] std::uint64_t mismatches() const noexcept { return mismatches_.load(std::memory_order_relaxed); }

 private:
  const std::shared_ptr<actor_kernel::system_core> system_;
  std::atomic<std::uint64_t> mismatches_{0};
  /// Bounded: beyond, more of them are neither counted nor logged.
  actor_kernel::guarded<std::set<std::tuple<std::string, std::string, std::string>>> noted_;
};

}  // namespace muster::receptionist

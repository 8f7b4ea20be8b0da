#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/guarded.hpp"

namespace muster::receptionist {

/// A number that ranks one actor for one key: the same on every node for the same actor, and unrelated between keys.
[[nodiscard]] std::uint64_t rendezvous_rank(std::uint64_t key_hash, const actor_address& of) noexcept;

/// How many messages each actor has been given and has not been done with. Any thread.
class load_table {
 public:
  /// The one with the least, of equals the first after the one that was chosen last; one more is in flight to it then.
  /// `candidates` are not empty.
  [[nodiscard]] std::size_t take_least(std::span<const any_ref> candidates);
  void give_back(const any_ref& whom);
  [[nodiscard]] std::size_t in_flight(const any_ref& whom) const;
  /// Actors that something is in flight to.
  [[nodiscard]] std::size_t size() const;

 private:
  struct state {
    std::unordered_map<any_ref, std::size_t> counts;  ///< none stands for zero
    std::size_t next{0};
  };
  actor_kernel::guarded<state> state_;
};

}  // namespace muster::receptionist

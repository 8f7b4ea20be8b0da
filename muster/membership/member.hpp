#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/prng.hpp"
#include "muster/base/strong.hpp"

namespace muster::membership {

/// One life of a process: of two processes under one name, or at one address, the one with the higher incarnation is
/// the later one and takes the place. Never zero for a member.
using incarnation = strong<struct incarnation_tag, std::uint64_t>;

/// An incarnation for a process that starts now: the time in milliseconds in the upper 44 bits, chance in the lower 20.
/// A clock that was set back does no harm: who is told that a later incarnation is known comes back above `at_least`.
[[nodiscard]] incarnation make_incarnation(std::uint64_t wall_clock_ms, prng& random,
                                           incarnation at_least = incarnation{0}) noexcept;

/// One life of a process as everybody knows it. Immutable and shared: tables, snapshots and events point to it.
/// The identity is (name, incarnation); address and meta stay the same for one life.
struct member {
  std::string name;
  membership::incarnation incarnation;
  std::string address;   ///< how it is reached; opaque here. Empty only for a departed member known by name alone
  bytes meta;            ///< opaque here, small: roles, versions, ports
  std::uint64_t key{0};  ///< `identity_key(name, incarnation)`, kept because it is needed often

  /// Equal means the same life; a different address under the same life is a lie that nobody tells.
  friend bool operator==(const member& left, const member& right) noexcept {
    return left.incarnation == right.incarnation && left.name == right.name;
  }
};

using member_ptr = std::shared_ptr<const member>;

/// 64 bits that stand for an identity in digests (docs/protocols/membership.md); the same in every process.
[[nodiscard]] std::uint64_t identity_key(std::string_view name, membership::incarnation of) noexcept;

/// A well-mixed permutation of 64 bits (the finish of splitmix64); part of the protocol's digests.
[[nodiscard]] std::uint64_t mixed(std::uint64_t value) noexcept;
/// 64 bits that stand for a name or an address in the indexes of one process.
[[nodiscard]] std::uint64_t text_key(std::string_view text) noexcept;

/// Lets many participants of one process (a simulation of thousands of nodes) share the member objects that they
/// learn. Not for use from several threads.
class member_pool {
 public:
  /// The member with exactly these values, made if nobody holds one.
  [[nodiscard]] member_ptr share(std::string_view name, incarnation of, std::string_view address, byte_view meta);

  /// Members that somebody still holds, and some that nobody does.
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

 private:
  void forget_unused();

  std::unordered_multimap<std::uint64_t, std::weak_ptr<const member>> known_;
  std::size_t forget_at_{1024};
};

/// Makes a member with its key.
[[nodiscard]] member_ptr make_member(std::string_view name, incarnation of, std::string_view address, byte_view meta);

/// What the owner of a participant sees of a member.
enum class member_state : std::uint8_t {
  up,           ///< answers, or is merely suspected
  unreachable,  ///< does not answer; becomes reachable again, or is removed after `options::removal_timeout`
};

[[nodiscard]] std::string_view to_string(member_state value) noexcept;

struct member_status {
  member_ptr who;
  member_state state{member_state::up};

  friend bool operator==(const member_status&, const member_status&) = default;
};

/// All members at one moment, this one included, by name. Immutable and shared.
struct member_list {
  std::uint64_t version{0};  ///< rises with each change, within one participant
  std::vector<member_status> members;
};

}  // namespace muster::membership

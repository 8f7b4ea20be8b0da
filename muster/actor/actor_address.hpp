#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "muster/base/result.hpp"
#include "muster/base/strong.hpp"

namespace muster {

using node_incarnation = strong<struct node_incarnation_tag, std::uint64_t>;
using actor_incarnation = strong<struct actor_incarnation_tag, std::uint64_t>;

/// A process of the cluster. One restarted under the same name has another incarnation: it is somebody else.
struct actor_node {
  std::string name;
  node_incarnation incarnation;

  friend bool operator==(const actor_node&, const actor_node&) = default;
  friend auto operator<=>(const actor_node&, const actor_node&) = default;
};

/// What tells one actor from all others, ever: an actor started later under the same path has another incarnation,
/// which no other actor of that node's incarnation has. The order (by node, then path) means nothing but is stable.
struct actor_address {
  actor_node node;
  std::string path;  ///< "/user/api", "/system/cluster/receptionist"
  actor_incarnation incarnation;

  friend bool operator==(const actor_address&, const actor_address&) = default;
  friend auto operator<=>(const actor_address&, const actor_address&) = default;
};

/// "shop/user/api#17": for people.
[[nodiscard]] std::string to_string(const actor_address& of);

namespace actor_kernel {

/// What a name of an actor or of a system may be: 1 to 255 of A-Z a-z 0-9 _ - . : @; that of a node in a cluster is
/// shorter. `invalid_argument` says what is wrong; `what` begins that sentence.
[[nodiscard]] result<void> check_name(std::string_view what, std::string_view name, std::size_t length_max = 255);

}  // namespace actor_kernel
}  // namespace muster

template <>
struct std::hash<muster::actor_address> {
  std::size_t operator()(const muster::actor_address& of) const noexcept {
    // An incarnation is all but unique in a cluster; the path need not be read.
    return std::hash<std::uint64_t>{}(of.incarnation.value() * 0x9e3779b97f4a7c15U ^ of.node.incarnation.value());
  }
};

template <>
struct fmt::formatter<muster::actor_address> : fmt::formatter<std::string> {
  template <typename Context>
  auto format(const muster::actor_address& of, Context& context) const {
    return fmt::formatter<std::string>::format(muster::to_string(of), context);
  }
};

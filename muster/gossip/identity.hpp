#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "muster/base/strong.hpp"
#include "muster/gossip/shared_text.hpp"

/// Who writes, and what is written.
namespace muster::gossip {

/// The name of a node, unique in its cluster.
class node_id {
 public:
  node_id() noexcept = default;
  explicit node_id(shared_text name) noexcept : name_{std::move(name)} {}
  explicit node_id(std::string_view name) : name_{name} {}

  [[nodiscard]] const shared_text& value() const noexcept { return name_; }
  [[nodiscard]] std::string_view view() const noexcept { return name_.view(); }

  friend bool operator==(const node_id&, const node_id&) = default;
  friend auto operator<=>(const node_id&, const node_id&) = default;

 private:
  shared_text name_;
};

/// Tells the lives of a node apart: a later life has a greater number. Zero is none.
using incarnation = strong<struct origin_incarnation_tag, std::uint64_t>;
/// How many operations an origin has made; operation n leads from version n-1 to version n.
using version = strong<struct version_tag, std::uint64_t>;

/// One life of one node: the only writer of its registrations, and whom a message is sent to.
struct origin_id {
  node_id node;
  incarnation life;

  friend bool operator==(const origin_id&, const origin_id&) = default;
  friend auto operator<=>(const origin_id&, const origin_id&) = default;
};

[[nodiscard]] inline origin_id make_origin(std::string_view node, std::uint64_t life) {
  return {node_id{node}, incarnation{life}};
}

/// Whom a registration leads to. Opaque here: two entries are the same when all three parts are.
struct entry {
  shared_text path;              ///< the actor's path within its node
  std::uint64_t incarnation{0};  ///< the actor's: a respawned path is another actor
  shared_text type;              ///< the name of the message type

  friend bool operator==(const entry&, const entry&) = default;
  friend auto operator<=>(const entry&, const entry&) = default;
};

/// An entry under a key. An origin has each registration at most once.
struct registration {
  shared_text key;
  entry what;

  friend bool operator==(const registration&, const registration&) = default;
  friend auto operator<=>(const registration&, const registration&) = default;
};

}  // namespace muster::gossip

template <>
struct fmt::formatter<muster::gossip::node_id> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const muster::gossip::node_id& id, Context& context) const {
    return fmt::formatter<std::string_view>::format(id.view(), context);
  }
};

/// As `node#life`.
template <>
struct fmt::formatter<muster::gossip::origin_id> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const muster::gossip::origin_id& id, Context& context) const {
    return fmt::format_to(context.out(), "{}#{}", id.node, id.life);
  }
};

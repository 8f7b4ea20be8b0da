#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/stable_hash.hpp"

namespace muster::gossip {

/// Who belongs to the cluster, who of them is up, and which incarnations are refused: what the layer above has said.
/// One incarnation of each node at most is a member.
class members {
 public:
  /// Up, or unreachable: it belongs to the cluster.
  [[nodiscard]] bool contains(const origin_id& who) const;
  /// The incarnation of the node that is a member.
  [[nodiscard]] std::optional<incarnation> life_of(const node_id& node) const;
  [[nodiscard]] bool is_up(const origin_id& who) const;
  [[nodiscard]] std::size_t up_count() const noexcept { return up_.size(); }
  /// All that are up, in no particular order.
  [[nodiscard]] const std::vector<origin_id>& up() const noexcept { return up_; }
  /// So many distinct ones of those that are up and not named, at random; all of them if there are no more.
  [[nodiscard]] std::vector<origin_id> pick(std::size_t count, prng& random, const origin_id& not_this,
                                            const origin_id& nor_this) const;

  /// In place of another incarnation of the node, if there was one.
  void set_up(const origin_id& who);
  void set_unreachable(const origin_id& who);
  void remove(const node_id& node);

  /// This incarnation and those before are refused until then. Beyond `most` forgotten nodes the oldest is let go.
  void forget(const origin_id& who, instant now, instant until, std::size_t most);
  [[nodiscard]] bool is_forgotten(const origin_id& who) const;
  /// The highest incarnation of the node that is refused; one that is refused has to exceed it.
  [[nodiscard]] origin_id forgotten_of(const node_id& node) const;
  /// Nobody is refused any more.
  void refuse_nobody();
  /// Lets go of those whose time has come.
  void expire(instant now);
  [[nodiscard]] std::size_t forgotten_count() const noexcept { return forgotten_.size(); }
  /// Those forgotten after `since` and still refused.
  void for_each_forgotten(instant since, const std::function<void(const origin_id&)>& visit) const;

 private:
  static constexpr std::uint32_t not_up = 0xffff'ffffU;

  struct member {
    incarnation life;
    std::uint32_t up_index{not_up};
  };
  struct refused {
    incarnation life;
    instant until;
  };
  struct forgetting {
    origin_id who;
    instant at;
    instant until;
  };

  void take_from_up(member& one);
  void let_go_of_oldest();

  boost::unordered_flat_map<node_id, member, text_hash> members_;
  std::vector<origin_id> up_;
  boost::unordered_flat_map<node_id, refused, text_hash> forgotten_;
  std::deque<forgetting> by_age_;  ///< may name one whose time has been extended
};

}  // namespace muster::gossip

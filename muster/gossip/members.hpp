#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/stable_hash.hpp"

namespace muster::gossip {

/// Who belongs to the cluster, who of them is up, and which incarnations are refused: what the layer above has said.
/// One incarnation of each node at most is a member. Made for many of them: 16 bytes each, and five in an index.
class members {
 public:
  members() = default;
  members(const members&) = delete;
  members& operator=(const members&) = delete;

  /// Up, or unreachable: it belongs to the cluster.
  [[nodiscard]] bool contains(const origin_id& who) const;
  /// The incarnation of the node that is a member.
  [[nodiscard]] std::optional<incarnation> life_of(const node_id& node) const;
  [[nodiscard]] bool is_up(const origin_id& who) const;
  [[nodiscard]] std::size_t up_count() const noexcept { return up_count_; }
  /// All that are up, in no particular order.
  [[nodiscard]] std::span<const origin_id> up() const noexcept { return {all_.data(), up_count_}; }
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
  using place = std::uint32_t;
  static constexpr place none = 0xffff'ffffU;

  struct place_hash {
    using is_transparent = void;
    using is_avalanching = void;
    const members* all;
    std::size_t operator()(const node_id& node) const noexcept { return text_hash{}(node); }
    std::size_t operator()(place at) const noexcept { return (*this)(all->all_[at].node); }
  };
  struct place_equal {
    using is_transparent = void;
    const members* all;
    bool operator()(place left, place right) const noexcept { return left == right; }
    bool operator()(const node_id& left, place right) const noexcept { return left == all->all_[right].node; }
    bool operator()(place left, const node_id& right) const noexcept { return (*this)(right, left); }
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

  [[nodiscard]] place place_of(const node_id& node) const;
  void swap_places(place left, place right);
  /// Gives its new place.
  place take_from_up(place which);
  void let_go_of_oldest();

  std::vector<origin_id> all_;  ///< those that are up come first
  std::size_t up_count_{0};
  boost::unordered_flat_set<place, place_hash, place_equal> by_node_{0, place_hash{this}, place_equal{this}};
  boost::unordered_flat_map<node_id, refused, text_hash> forgotten_;
  std::deque<forgetting> by_age_;  ///< may name one whose time has been extended
};

}  // namespace muster::gossip

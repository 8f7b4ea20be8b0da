#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "muster/gossip/identity.hpp"
#include "muster/gossip/ready.hpp"

namespace muster::gossip {

/// What has become of the visible state since the changes were last taken: only the difference. A registration that
/// came and went, or went and came, in between is not in it.
class change_set {
 public:
  change_set() = default;
  change_set(const change_set&) = delete;
  change_set& operator=(const change_set&) = delete;

  /// `hash` is that of the registration, for the index.
  void note(change what, std::uint64_t hash);

  [[nodiscard]] bool empty() const noexcept { return noted_.empty(); }
  /// In the order of their happening.
  [[nodiscard]] std::vector<change> take();

 private:
  struct noted {
    change what;
    std::uint64_t hash;
    bool cancelled{false};
  };
  /// The index holds numbers of `noted_`; it is asked by a change that is not in there.
  struct probe {
    const change& what;
    std::uint64_t hash;
  };
  struct number_hash {
    using is_transparent = void;
    const std::vector<noted>* all;
    std::size_t operator()(std::uint32_t number) const noexcept { return (*all)[number].hash; }
    std::size_t operator()(const probe& asked) const noexcept { return asked.hash; }
  };
  struct number_equal {
    using is_transparent = void;
    const std::vector<noted>* all;
    bool operator()(std::uint32_t left, std::uint32_t right) const noexcept { return left == right; }
    bool operator()(const probe& left, std::uint32_t right) const noexcept;
    bool operator()(std::uint32_t left, const probe& right) const noexcept { return (*this)(right, left); }
  };

  std::vector<noted> noted_;
  std::size_t vanished_{0};
  /// Made when it is first needed: mostly things only appear.
  bool is_indexed_{false};
  boost::unordered_flat_set<std::uint32_t, number_hash, number_equal> index_{0, number_hash{&noted_},
                                                                             number_equal{&noted_}};
};

}  // namespace muster::gossip

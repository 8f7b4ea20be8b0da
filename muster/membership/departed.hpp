#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "muster/base/instant.hpp"
#include "muster/membership/member.hpp"
#include "muster/membership/messages.hpp"

namespace muster::membership {

/// The incarnations that have left or were removed, each for a horizon, so that no news from before brings one back.
/// Bounded: the one to be forgotten soonest goes first. Inside the folder only.
class departed {
 public:
  struct record {
    member_ptr who;
    standing how{standing::removed};
    instant forget_at{};
    std::optional<instant> told_at;  ///< when it was last told that it is removed
  };

  explicit departed(std::size_t count_max) : count_max_{count_max} {}

  /// Nothing if it is remembered already.
  void add(member_ptr who, standing how, instant forget_at);
  [[nodiscard]] record* find(std::string_view name, incarnation of);
  [[nodiscard]] const record* find(std::string_view name, incarnation of) const;

  void forget_until(instant now);
  [[nodiscard]] instant next_to_forget() const;
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }

  template <typename Visit>
  void each(const Visit& visit) const {
    for (const auto& [key, one] : records_) {
      visit(one);
    }
  }

 private:
  using by_key = std::unordered_multimap<std::uint64_t, record>;

  void forget_first();

  std::size_t count_max_;
  by_key records_;
  // The number makes the order that of arrival where times are equal, in every run.
  std::map<std::pair<instant, std::uint64_t>, by_key::iterator> by_time_;
  std::uint64_t arrivals_{0};
};

}  // namespace muster::membership

#include "muster/membership/member_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "muster/base/invariant.hpp"
#include "muster/base/spare.hpp"

namespace muster::membership {

// A simulation holds a hundred million of them.
static_assert(sizeof(member_table::entry) <= 24);

member_table::slot member_table::add(member_ptr who, standing how, std::uint32_t counter, prng& random) {
  MUSTER_INVARIANT(find_name(who->name) == none && find_address(who->address) == none,
                   "a member has its name and address for itself");
  slot which = static_cast<slot>(entries_.size());
  if (free_.empty()) {
    reserve_one_more(entries_);
    entries_.emplace_back();
  } else {
    which = free_.back();
    free_.pop_back();
  }
  entry& one = entries_[which];
  one = {.who = std::move(who), .counter = counter, .standing = how};
  by_name_.insert(which, [&](slot at) { return text_key(entries_[at].who->name); });
  by_address_.insert(which, [&](slot at) { return text_key(entries_[at].who->address); });
  ++size_;
  count(one, true);
  if (which != self) {
    // At a random place among those not yet probed in this round (SWIM, section 4.3).
    reserve_one_more(order_);
    order_.push_back(which);
    const std::size_t place = order_at_ + random.below(order_.size() - order_at_);
    std::swap(order_[place], order_.back());
  }
  return which;
}

void member_table::remove(slot which) {
  entry& one = entries_[which];
  count(one, false);
  --size_;
  by_name_.erase(which, [&](slot at) { return text_key(entries_[at].who->name); });
  by_address_.erase(which, [&](slot at) { return text_key(entries_[at].who->address); });
  one = {};
  free_.push_back(which);
}

void member_table::set(slot which, standing how, std::uint32_t counter) {
  entry& one = entries_[which];
  count(one, false);
  one.standing = how;
  one.counter = counter;
  count(one, true);
}

member_table::slot member_table::find_name(std::string_view name) const {
  return by_name_.find(text_key(name), [&](slot at) { return entries_[at].who->name == name; });
}

member_table::slot member_table::find_address(std::string_view address) const {
  return by_address_.find(text_key(address), [&](slot at) { return entries_[at].who->address == address; });
}

member_table::slot member_table::find(std::string_view name, incarnation of) const {
  const slot which = find_name(name);
  return which != none && entries_[which].who->incarnation == of ? which : none;
}

void member_table::prefetch(std::span<const claim> claims) const {
  constexpr std::size_t at_a_time = 64;
  std::array<std::uint64_t, at_a_time> keys;
  std::array<slot, at_a_time> slots;
  for (; !claims.empty(); claims = claims.subspan(std::min(at_a_time, claims.size()))) {
    const std::size_t count = std::min(at_a_time, claims.size());
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = text_key(claims[i].name);
      by_name_.prefetch(keys[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      slots[i] = by_name_.guess(keys[i]);
      if (slots[i] != none) {
        __builtin_prefetch(&entries_[slots[i]]);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (slots[i] != none) {
        __builtin_prefetch(entries_[slots[i]].who.get());
      }
    }
  }
}

member_table::slot member_table::next_to_probe(prng& random) {
  if (size_ <= 1) {
    return none;
  }
  for (int round = 0; round < 2; ++round) {
    while (order_at_ < order_.size()) {
      const slot which = order_[order_at_++];
      if (entries_[which].who) {
        return which;
      }
    }
    order_.clear();
    order_.reserve(size_);
    order_at_ = 0;
    each([&](slot which) {
      if (which != self) {
        order_.push_back(which);
      }
    });
    for (std::size_t i = order_.size(); i > 1; --i) {
      std::swap(order_[i - 1], order_[random.below(i)]);
    }
  }
  MUSTER_INVARIANT(false, "a table of more than one member has one to probe");
  return none;
}

std::uint64_t member_table::digest_of(const entry& one) noexcept {
  const std::uint64_t state = (std::uint64_t{one.counter} << 1U) | (one.standing == standing::unreachable ? 1U : 0U);
  return mixed(one.who->key ^ mixed(state + 1));
}

void member_table::count(const entry& one, bool in) {
  digest_[one.who->key % buckets_max] ^= digest_of(one);
  const auto move = [in](std::size_t& counter) { in ? ++counter : --counter; };
  if (one.standing == standing::unreachable) {
    move(unreachable_);
  }
  if (one.standing == standing::suspect) {
    move(suspected_);
  }
}

std::uint64_t member_table::root() const noexcept {
  std::uint64_t out = mixed(size_);
  for (const std::uint64_t bucket : digest_) {
    out ^= bucket;
  }
  return out;
}

std::vector<std::uint64_t> member_table::buckets(std::size_t count) const {
  std::vector<std::uint64_t> out(count);
  for (std::size_t i = 0; i < buckets_max; ++i) {
    out[i % count] ^= digest_[i];
  }
  return out;
}

std::size_t member_table::bucket_count() const noexcept {
  constexpr std::size_t members_a_bucket = 8;
  return std::clamp<std::size_t>(std::bit_ceil(size_ / members_a_bucket + 1), 1, buckets_max);
}

}  // namespace muster::membership

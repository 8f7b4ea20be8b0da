#include "muster/membership/news_queue.hpp"

#include <algorithm>
#include <utility>

#include "muster/base/spare.hpp"
#include "muster/membership/message_codec.hpp"

namespace muster::membership {

std::uint64_t news_queue::key_of(const member* who) noexcept { return mixed(reinterpret_cast<std::uintptr_t>(who)); }

void news_queue::put(item news) {
  const member* const who = news.who.get();
  slot which = by_member_.find(key_of(who), [&](slot at) { return kept_[at].who.get() == who; });
  if (which != slot_index::none) {
    take_out(which);
  } else {
    if (free_.empty()) {
      which = static_cast<slot>(kept_.size());
      reserve_one_more(kept_);
      kept_.emplace_back();
    } else {
      which = free_.back();
      free_.pop_back();
    }
    kept_[which].who = news.who;
    by_member_.insert(which, [&](slot at) { return key_of(kept_[at].who.get()); });
  }
  kept_[which] = {std::move(news), 0, --next_age_};
  insert(0, std::span{&which, 1});
}

void news_queue::clear() {
  give_back(kept_);
  give_back(free_);
  by_member_.clear();
  give_back(told_times_);
  give_back(taken_);
}

void news_queue::insert(std::size_t times, std::span<const slot> group) {
  if (times >= told_times_.size()) {
    told_times_.resize(times + 1);
  }
  std::deque<slot>& level = told_times_[times];
  const auto age = [&](slot which) { return kept_[which].age; };
  while (!group.empty()) {
    // Most often all of them are younger, or older, than all that are there.
    const auto place = std::ranges::lower_bound(level, age(group.front()), {}, age);
    std::size_t count = group.size();
    if (place != level.end()) {
      const std::uint64_t next = age(*place);
      count = static_cast<std::size_t>(std::ranges::lower_bound(group, next, {}, age) - group.begin());
    }
    level.insert(place, group.begin(), group.begin() + static_cast<std::ptrdiff_t>(count));
    group = group.subspan(count);
  }
}

void news_queue::take_out(slot which) {
  std::deque<slot>& level = told_times_[kept_[which].times];
  const auto age = [&](slot one) { return kept_[one].age; };
  level.erase(std::ranges::lower_bound(level, kept_[which].age, {}, age));
}

void news_queue::take(std::vector<claim>& into, std::size_t space_bytes) {
  // An item that does not fit leaves room for smaller ones, but not for a search through all of them.
  int misfits_left = 8;
  for (std::deque<slot>& level : told_times_) {
    // Where very many wait, they are not in the processor's cache: those that come next are fetched meanwhile.
    constexpr std::size_t items_ahead = 8;
    constexpr std::size_t members_ahead = 4;
    for (std::size_t i = 0; i < level.size() && misfits_left > 0;) {
      if (i + items_ahead < level.size()) {
        __builtin_prefetch(&kept_[level[i + items_ahead]]);
        __builtin_prefetch(kept_[level[i + members_ahead]].who.get());
      }
      const slot which = level[i];
      const claim one = to_claim(kept_[which]);
      const std::size_t needed = encoded_bytes(one);
      if (needed > space_bytes) {
        --misfits_left;
        ++i;
        continue;
      }
      space_bytes -= needed;
      into.push_back(one);
      taken_.push_back(which);
      if (i == 0) {
        level.pop_front();
      } else {
        level.erase(level.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

void news_queue::told(std::size_t times_max) {
  for (std::size_t i = 0; i < taken_.size();) {
    const std::uint32_t times = kept_[taken_[i]].times + 1;
    const std::size_t from = i;
    for (; i < taken_.size() && kept_[taken_[i]].times + 1 == times; ++i) {
    }
    const std::span group{taken_.data() + from, i - from};
    for (const slot which : group) {
      kept_[which].times = times;
    }
    if (times < times_max) {
      insert(times, group);
    } else {
      std::ranges::for_each(group, [&](slot which) { drop(which); });
    }
  }
  taken_.clear();
  if (empty()) {
    clear();
  }
}

void news_queue::drop(slot which) {
  by_member_.erase(which, [&](slot at) { return key_of(kept_[at].who.get()); });
  kept_[which].who.reset();
  free_.push_back(which);
}

claim to_claim(const news_queue::item& news) noexcept {
  claim out{.standing = news.standing, .name = news.who->name, .incarnation = news.who->incarnation};
  if (is_final(news.standing)) {
    out.remembered_s = news.remembered_s;
    return out;
  }
  out.counter = news.counter;
  if (news.standing == standing::suspect) {
    out.accuser = news.accuser;
  }
  if (news.standing == standing::alive) {
    out.address = news.who->address;
    out.meta = news.who->meta;
  }
  return out;
}

}  // namespace muster::membership

#include "muster/membership/news_queue.hpp"

#include "muster/membership/message_codec.hpp"

namespace muster::membership {

void news_queue::put(item news) {
  const member* const key = news.who.get();
  if (const auto known = places_.find(key); known != places_.end()) {
    waiting_.erase(known->second);
    places_.erase(known);
  }
  const place at{.times = 0, .age = --next_age_};
  places_.emplace(key, at);
  waiting_.emplace(at, std::move(news));
}

void news_queue::clear() {
  waiting_.clear();
  places_.clear();
}

void news_queue::take(std::vector<claim>& into, std::size_t space_bytes) {
  // An item that does not fit leaves room for smaller ones, but not for a search through all of them.
  int misfits_left = 8;
  for (auto at = waiting_.begin(); at != waiting_.end() && misfits_left > 0;) {
    const claim one = to_claim(at->second);
    const std::size_t needed = encoded_bytes(one);
    if (needed > space_bytes) {
      --misfits_left;
      ++at;
      continue;
    }
    space_bytes -= needed;
    into.push_back(one);
    const auto next = std::next(at);
    taken_.push_back(waiting_.extract(at));
    at = next;
  }
}

void news_queue::told(std::size_t times_max) {
  for (auto& node : taken_) {
    const auto known = places_.find(node.mapped().who.get());
    if (++node.key().times >= times_max) {
      places_.erase(known);
    } else {
      known->second = node.key();
      waiting_.insert(std::move(node));
    }
  }
  taken_.clear();
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

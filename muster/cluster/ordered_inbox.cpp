#include "muster/cluster/ordered_inbox.hpp"

#include <utility>

namespace muster::cluster {

void ordered_inbox::take(std::uint64_t sequence, actor_message what, std::size_t frame_bytes, instant now,
                         std::vector<actor_message>& out) {
  if (sequence < expected_ || waiting_.contains(sequence)) {
    ++counted_.doubled;
    return;
  }
  if (sequence == expected_) {
    ++expected_;
    out.push_back(std::move(what));
    hand_out_next(now, out);
    return;
  }
  if (waiting_.empty()) {
    give_up_at_ = now + how_.gap_timeout;
  }
  waiting_.emplace(sequence, early{std::move(what), frame_bytes});
  waiting_bytes_ += frame_bytes;
  while (waiting_.size() > how_.gap_frames_max || waiting_bytes_ > how_.gap_bytes_max) {
    skip_gap(now, out);
  }
}

void ordered_inbox::handle_tick(instant now, std::vector<actor_message>& out) {
  if (next_deadline() <= now) {
    skip_gap(now, out);
  }
}

void ordered_inbox::reset() {
  expected_ = 1;
  waiting_.clear();
  waiting_bytes_ = 0;
  counted_ = {};
}

void ordered_inbox::hand_out_next(instant now, std::vector<actor_message>& out) {
  bool moved = false;
  while (!waiting_.empty() && waiting_.begin()->first == expected_) {
    auto next = waiting_.extract(waiting_.begin());
    waiting_bytes_ -= next.mapped().bytes;
    out.push_back(std::move(next.mapped().what));
    ++expected_;
    moved = true;
  }
  if (moved) {
    give_up_at_ = now + how_.gap_timeout;  // for the next gap, if there is one
  }
}

void ordered_inbox::skip_gap(instant now, std::vector<actor_message>& out) {
  counted_.given_up += waiting_.begin()->first - expected_;
  expected_ = waiting_.begin()->first;
  hand_out_next(now, out);
}

}  // namespace muster::cluster

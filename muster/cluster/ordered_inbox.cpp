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
    hand_out_next(out);
    return;
  }
  waiting_.emplace(sequence, early{std::move(what), frame_bytes, now});
  waiting_bytes_ += frame_bytes;
  while (waiting_.size() > how_.gap_frames_max || waiting_bytes_ > how_.gap_bytes_max) {
    skip_gap(out);
  }
}

void ordered_inbox::handle_tick(instant now, std::vector<actor_message>& out) {
  // Each gap has its time from when it was seen: many that were lost together cost no more than one.
  while (next_deadline() <= now) {
    skip_gap(out);
  }
}

void ordered_inbox::reset() {
  expected_ = 1;
  waiting_.clear();
  waiting_bytes_ = 0;
  counted_ = {};
}

void ordered_inbox::hand_out_next(std::vector<actor_message>& out) {
  while (!waiting_.empty() && waiting_.begin()->first == expected_) {
    auto next = waiting_.extract(waiting_.begin());
    waiting_bytes_ -= next.mapped().bytes;
    out.push_back(std::move(next.mapped().what));
    ++expected_;
  }
}

void ordered_inbox::skip_gap(std::vector<actor_message>& out) {
  counted_.given_up += waiting_.begin()->first - expected_;
  expected_ = waiting_.begin()->first;
  hand_out_next(out);
}

}  // namespace muster::cluster

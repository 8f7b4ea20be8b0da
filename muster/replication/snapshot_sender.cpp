#include "muster/replication/snapshot_sender.hpp"

#include <utility>

namespace muster::replication {

snapshot_sender::snapshot_sender(std::unique_ptr<snapshot_source> source, history of, std::vector<log_entry> recent,
                                 const options& how)
    : source_{std::move(source)}, of_{std::move(of)}, recent_{std::move(recent)}, how_{how} {}

void snapshot_sender::handle_received(std::uint64_t next_index, instant now) {
  while (!on_their_way_.empty() && on_their_way_.front().index < next_index) {
    on_their_way_.pop_front();
    last_progress_ = now;
  }
  if (finished()) {
    source_.reset();
  }
}

void snapshot_sender::poll_chunks(session_id session, instant now, std::vector<message>& out) {
  if (now >= resend_due()) {
    out.emplace_back(on_their_way_.front());
    last_sent_ = now;
  }
  while (!all_cut_ && on_their_way_.size() < how_.snapshot_window_chunks) {
    snapshot_chunk chunk;
    chunk.session = session;
    chunk.index = next_index_++;
    chunk.history = of_;
    if (auto content = source_->next_chunk(how_.message_bytes_max)) {
      chunk.content = shared_bytes{*std::move(content)};
    } else {
      chunk.is_last = true;
      chunk.recent = std::move(recent_);
      all_cut_ = true;
    }
    on_their_way_.push_back(chunk);
    out.emplace_back(std::move(chunk));
    last_sent_ = now;
  }
}

instant snapshot_sender::resend_due() const noexcept {
  return on_their_way_.empty() ? instant_never : last_sent_ + how_.resend_interval;
}

}  // namespace muster::replication

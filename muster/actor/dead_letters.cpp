#include "muster/actor/dead_letters.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace muster {

std::string_view to_string(dead_letter_reason why) noexcept {
  switch (why) {
    case dead_letter_reason::stopped: return "stopped";
    case dead_letter_reason::mailbox_full: return "mailbox_full";
    case dead_letter_reason::unreachable: return "unreachable";
    case dead_letter_reason::unhandled: return "unhandled";
    case dead_letter_reason::unsendable: return "unsendable";
  }
  return "unknown";
}

std::uint64_t dead_letters::count() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& one) { return sum + one.load(std::memory_order_relaxed); });
}

void dead_letters::log(const dead_letter& what, std::uint64_t left_out) const {
  event line{severity::warning, "dead_letter"};
  line.with("to", what.to.address()).with("type", what.type).with("reason", to_string(what.reason));
  if (left_out != 0) line.with("left_out_before", left_out);
  how_.log->write(line);
}

void dead_letters::publish(const any_ref& to, const actor_kernel::message_type& type, dead_letter_reason why) {
  if (why == dead_letter_reason::stopped && type.dies_with_actor) return;
  counts_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  const dead_letter letter{to, type.in_log, why};

  std::vector<actor_ref<dead_letter>> told;
  outlets_.with([&](outlets& out) {
    if (out.closed) return;
    told = out.subscribers;
    if (how_.log == nullptr) return;
    // Asked only here: with the system ends what knows the time.
    const instant now = how_.now();
    if (now >= out.window_end) {
      out.window_end = now + how_.log_window;
      out.lines = 0;
    }
    if (out.lines >= how_.log_lines_max) {
      ++out.left_out;
      return;
    }
    ++out.lines;
    // Under the lock, so that `close` returns only when the log is used no more.
    log(letter, std::exchange(out.left_out, 0));
  });

  for (const auto& subscriber : told) {
    // A letter about a letter would come back as another one.
    if (type.name == dead_letter::message_name) return;
    const auto outcome = subscriber.try_tell(letter);
    if (!outcome && outcome.error().code == errc::unavailable) unsubscribe(subscriber);
  }
}

void dead_letters::subscribe(actor_ref<dead_letter> who) {
  outlets_.with([&](outlets& out) {
    if (who && !out.closed && std::find(out.subscribers.begin(), out.subscribers.end(), who) == out.subscribers.end()) {
      out.subscribers.push_back(std::move(who));
    }
  });
}

void dead_letters::unsubscribe(const actor_ref<dead_letter>& who) {
  outlets_.with([&](outlets& out) { std::erase(out.subscribers, who); });
}

void dead_letters::close() {
  std::vector<actor_ref<dead_letter>> gone;
  outlets_.with([&](outlets& out) {
    out.closed = true;
    gone.swap(out.subscribers);
  });
}

}  // namespace muster

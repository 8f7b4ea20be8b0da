#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/guarded.hpp"
#include "muster/base/event.hpp"
#include "muster/base/instant.hpp"

namespace muster {

enum class dead_letter_reason : std::uint8_t {
  stopped,       ///< the actor had stopped, or stopped before it came to the message
  mailbox_full,  ///< a bounded mailbox, or what may be on its way to a node, had no room
  unreachable,   ///< no way led to the actor's node
  unhandled,     ///< the actor has no place for it, such as a `terminated` that it does not take
  /// Messages of this type have no name, or cannot be written: they stay within their process. Or this one is larger
  /// than a message between nodes may be.
  unsendable,
};
inline constexpr std::size_t dead_letter_reasons = 5;

[[nodiscard]] std::string_view to_string(dead_letter_reason why) noexcept;

/// A message that nobody handled. The message itself is gone.
struct dead_letter {
  static constexpr std::string_view message_name = "muster.dead_letter";

  any_ref to;
  std::string_view type;  ///< the message's given name, else what the compiler calls it; lives as long as the process
  dead_letter_reason reason{};
};

/// Where messages end that nobody handled: counted, told to whoever subscribes, and logged, but never as a storm. Any
/// thread. Lives as long as anything of its system; after the system's end it goes on counting.
class dead_letters {
 public:
  struct options {
    event_log* log{nullptr};
    std::function<instant()> now;
    /// At most so many lines in the log in each `log_window`; the next line says how many were left out.
    std::size_t log_lines_max{10};
    duration log_window{std::chrono::seconds{10}};
  };
  explicit dead_letters(options how) : how_{std::move(how)} {}

  void publish(const any_ref& to, const actor_kernel::message_type& type, dead_letter_reason why);

  /// Each dead letter from now on is told to `who`, until it stops or is taken out. Those to subscribers themselves are
  /// counted only.
  void subscribe(actor_ref<dead_letter> who);
  void unsubscribe(const actor_ref<dead_letter>& who);

  [[nodiscard]] std::uint64_t count(dead_letter_reason why) const noexcept {
    return counts_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t count() const noexcept;

  /// No more is logged or told: the log may end now.
  void close();

 private:
  struct outlets {
    std::vector<actor_ref<dead_letter>> subscribers;
    bool closed{false};
    instant window_end{instant::min()};
    std::size_t lines{0};
    std::uint64_t left_out{0};
  };

  void log(const dead_letter& what, std::uint64_t left_out) const;

  const options how_;
  std::array<std::atomic<std::uint64_t>, dead_letter_reasons> counts_{};
  actor_kernel::guarded<outlets> outlets_;
};

}  // namespace muster

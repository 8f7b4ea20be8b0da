#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace muster::locator {

/// Whose turn it is in each replica group that is balanced round-robin. Any thread may take a turn; none waits.
///
/// A fixed number of counters, claimed by groups as they are first asked for, so that memory is bounded whatever groups
/// come and go. Once all of a group's places are taken by others it shares the counter of one of them, and its turns
/// are then only roughly even.
class turn_counters {
 public:
  static constexpr std::size_t places = 4096;

  turn_counters();

  /// The number of turns that the group has taken before this one.
  [[nodiscard]] std::uint32_t take(std::string_view group) noexcept;

 private:
  static constexpr std::size_t probes_max = 16;

  struct place {
    std::atomic<std::uint64_t> group{0};  // the hash of the group's name; 0 = free
    std::atomic<std::uint32_t> turns{0};
  };

  std::unique_ptr<std::array<place, places>> places_;
};

}  // namespace muster::locator

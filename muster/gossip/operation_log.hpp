#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "muster/gossip/messages.hpp"

namespace muster::gossip {

/// Recent operations of all origins, in the order in which they came to be known here; the oldest go first when a bound
/// is reached. The operations of one origin form a chain, so that a quiet origin's are found among those of a busy one.
class operation_log {
 public:
  struct logged {
    operation what;
    mark after;
    std::uint64_t previous;  ///< the position of the same origin's operation before; 0: not here
  };
  /// Where an operation stands; 0 is nowhere.
  using position = std::uint64_t;

  operation_log(std::size_t operations_max, std::size_t bytes_max) noexcept
      : operations_max_{operations_max}, bytes_max_{bytes_max} {}

  /// `previous` is where the origin's operation before stands, or 0. Gives where this one stands.
  position append(operation what, const mark& after, position previous);

  /// The operations after `base` of the chain that ends at `last`, oldest first; nothing if the log does not reach back
  /// so far. They are valid until the next `append`.
  [[nodiscard]] std::optional<std::vector<const logged*>> since(position last, version base) const;

  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  [[nodiscard]] static std::size_t bytes_of(const operation& what) noexcept;

  std::size_t operations_max_;
  std::size_t bytes_max_;
  std::deque<logged> kept_;
  position first_{1};  ///< of `kept_.front()`
  std::size_t bytes_{0};
};

}  // namespace muster::gossip

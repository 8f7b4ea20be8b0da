#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"

namespace muster::replication {

/// A message is bigger than what a transport should carry at once only when a single change is (a descriptor of a
/// megabyte); then it travels as several frames. The bound leaves room for the rest of a message around
/// `options::message_bytes_max` of content, so that a chunk of a snapshot is one frame.
inline constexpr std::size_t frame_payload_bytes_max = std::size_t{320} * 1024;

/// Cuts an encoded message into frames. `number` must differ between the messages sent on one way; a counter does.
[[nodiscard]] std::vector<bytes> to_frames(bytes encoded, std::uint64_t number,
                                           std::size_t payload_bytes_max = frame_payload_bytes_max);

/// Puts the frames of one way together again, in whatever order they come. One object per peer.
class frame_assembly {
 public:
  /// `bytes_max` bounds what incomplete messages may hold together; beyond it the oldest is given up (it is as if its
  /// message had been lost).
  explicit frame_assembly(std::size_t bytes_max = std::size_t{64} * 1024 * 1024) noexcept : bytes_max_{bytes_max} {}

  /// The whole encoded message when `frame` completes one; nothing while frames are missing or `frame` was had
  /// before. `corrupt` for bytes that are no frame, `limit_exceeded` for a message beyond the bound.
  [[nodiscard]] result<std::optional<bytes>> add(byte_view frame);

 private:
  struct partial {
    std::map<std::uint64_t, bytes> parts;  // by index
    std::uint64_t count{0};
    std::size_t held_bytes{0};
  };

  std::size_t bytes_max_;
  std::size_t held_bytes_{0};
  std::map<std::uint64_t, partial> partials_;
};

}  // namespace muster::replication

#include "muster/replication/framing.hpp"

#include <algorithm>
#include <utility>

#include "muster/base/codec.hpp"
#include "muster/base/invariant.hpp"

namespace muster::replication {

namespace {

// A frame: whole (0) | the message, or part (1) | message number | count of parts | part's index | the part.
constexpr std::uint8_t whole_frame = 0;
constexpr std::uint8_t part_frame = 1;
constexpr std::size_t partial_messages_max = 8;

bytes make_part(byte_view content, std::uint64_t number, std::size_t count, std::size_t index) {
  byte_writer out;
  out.u8(part_frame);
  out.size(number);
  out.size(count);
  out.size(index);
  out.blob(content);
  return std::move(out).take();
}

}  // namespace

std::vector<bytes> to_frames(bytes encoded, std::uint64_t number, std::size_t payload_bytes_max) {
  MUSTER_INVARIANT(payload_bytes_max > 0, "a frame carries something");
  std::vector<bytes> out;
  if (encoded.size() <= payload_bytes_max) {
    encoded.insert(encoded.begin(), whole_frame);
    out.push_back(std::move(encoded));
    return out;
  }
  const byte_view all{encoded};
  const std::size_t count = (all.size() + payload_bytes_max - 1) / payload_bytes_max;
  for (std::size_t index = 0; index < count; ++index) {
    const std::size_t from = index * payload_bytes_max;
    out.push_back(make_part(all.subspan(from, std::min(payload_bytes_max, all.size() - from)), number, count, index));
  }
  return out;
}

result<std::optional<bytes>> frame_assembly::add(byte_view frame) {
  byte_reader in{frame};
  const std::uint8_t kind = in.u8();
  if (!in.failed() && kind == whole_frame) {
    return bytes{frame.begin() + 1, frame.end()};
  }
  const std::uint64_t number = in.size();
  const std::uint64_t count = in.size();
  const std::uint64_t index = in.size();
  const byte_view content = in.blob();
  if (kind != part_frame || in.failed() || !in.at_end() || count < 2 || index >= count || content.empty()) {
    return fail(errc::corrupt, "a frame of {} bytes is malformed", frame.size());
  }
  // No part is empty, so a count beyond this can never be held.
  if (count > bytes_max_ || content.size() > bytes_max_) {
    return fail(errc::limit_exceeded, "a message in {} frames is bigger than {} bytes", count, bytes_max_);
  }

  auto found = partials_.find(number);
  if (found == partials_.end()) {
    if (partials_.size() >= partial_messages_max) {
      held_bytes_ -= partials_.begin()->second.held_bytes;
      partials_.erase(partials_.begin());
    }
    found = partials_.try_emplace(number).first;
    found->second.count = count;
  }
  partial& message = found->second;
  if (message.count != count) {
    return fail(errc::corrupt, "the frames of message {} do not agree how many they are", number);
  }
  if (!message.parts.try_emplace(index, content.begin(), content.end()).second) {
    return std::optional<bytes>{};
  }
  message.held_bytes += content.size();
  held_bytes_ += content.size();
  if (message.held_bytes > bytes_max_) {
    held_bytes_ -= message.held_bytes;
    partials_.erase(found);
    return fail(errc::limit_exceeded, "a message in {} frames is bigger than {} bytes", count, bytes_max_);
  }
  if (message.parts.size() < count) {
    while (held_bytes_ > bytes_max_) {
      auto oldest = partials_.begin();
      if (oldest->first == number) {
        ++oldest;
      }
      held_bytes_ -= oldest->second.held_bytes;
      partials_.erase(oldest);
    }
    return std::optional<bytes>{};
  }

  bytes whole;
  whole.reserve(message.held_bytes);
  for (const auto& [at, part] : message.parts) {
    whole.insert(whole.end(), part.begin(), part.end());
  }
  held_bytes_ -= message.held_bytes;
  partials_.erase(found);
  return whole;
}

}  // namespace muster::replication

#pragma once

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "muster/base/bytes.hpp"
#include "muster/message/sendable.hpp"

namespace muster::message::testing {

/// The content of a message as it stands between nodes.
template <sendable T>
[[nodiscard]] bytes content_of(const T& message) {
  byte_writer into;
  content_codec<T>::write(message, into);
  return std::move(into).take();
}

template <sendable T>
[[nodiscard]] std::optional<T> message_of(byte_view content, const actor_system* system = nullptr,
                                          const ice_streams* streams = nullptr) {
  reader from{content, system, streams};
  return content_codec<T>::read(from);
}

[[nodiscard]] inline std::string hex(byte_view content) {
  std::string out;
  for (const auto one : content) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", one);
  return out;
}

/// "01 2f": the other way round.
[[nodiscard]] inline bytes from_hex(const std::string& text) {
  bytes out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 3) {
    out.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return out;
}

}  // namespace muster::message::testing

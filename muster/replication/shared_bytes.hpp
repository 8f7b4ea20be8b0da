#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "muster/base/bytes.hpp"

namespace muster::replication {

/// Bytes that never change and may be held by many: the log, the messages to each slave and the store share one
/// change without copying it. Empty after default construction.
class shared_bytes {
 public:
  shared_bytes() noexcept = default;
  explicit shared_bytes(bytes content) : content_{std::make_shared<const bytes>(std::move(content))} {}
  explicit shared_bytes(byte_view content) {
    if (!content.empty()) {
      content_ = std::make_shared<const bytes>(content.begin(), content.end());
    }
  }

  [[nodiscard]] byte_view view() const noexcept { return content_ ? byte_view{*content_} : byte_view{}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return content_ ? content_->size() : 0; }

  friend bool operator==(const shared_bytes& left, const shared_bytes& right) noexcept {
    const byte_view l = left.view();
    const byte_view r = right.view();
    return left.content_ == right.content_ || (l.size() == r.size() && std::equal(l.begin(), l.end(), r.begin()));
  }

 private:
  std::shared_ptr<const bytes> content_;
};

}  // namespace muster::replication

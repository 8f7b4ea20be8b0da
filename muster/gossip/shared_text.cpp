#include "muster/gossip/shared_text.hpp"

#include <cstring>
#include <limits>
#include <new>

#include "muster/base/invariant.hpp"

namespace muster::gossip {

shared_text::shared_text(std::string_view text) {
  if (text.empty()) {
    return;
  }
  MUSTER_INVARIANT(text.size() <= std::numeric_limits<std::uint32_t>::max(), "no text of gossip is that long");
  void* const memory = ::operator new(sizeof(block) + text.size());
  block_ = ::new (memory) block{1, static_cast<std::uint32_t>(text.size())};
  std::memcpy(static_cast<char*>(memory) + sizeof(block), text.data(), text.size());
}

void shared_text::drop() noexcept {
  if (block_ != nullptr && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    block_->~block();
    ::operator delete(block_);
  }
}

}  // namespace muster::gossip

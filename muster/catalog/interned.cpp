#include "muster/catalog/interned.hpp"

#include <cstring>
#include <new>

#include "muster/base/invariant.hpp"

namespace muster::catalog {

ref<interned> interned::make(std::string_view text) {
  MUSTER_INVARIANT(text.size() < 0x80000000U, "names come out of messages, which are far smaller");
  void* memory = ::operator new(sizeof(interned) + text.size());
  auto* record = new (memory) interned{static_cast<std::uint32_t>(text.size())};
  if (!text.empty()) std::memcpy(static_cast<void*>(record + 1), text.data(), text.size());
  return ref<interned>{record};
}

void interned::destroy(const interned* record) noexcept {
  record->~interned();
  ::operator delete(const_cast<void*>(static_cast<const void*>(record)));
}

}  // namespace muster::catalog

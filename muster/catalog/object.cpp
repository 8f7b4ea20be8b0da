#include "muster/catalog/object.hpp"

#include <cstring>
#include <new>

#include "muster/base/invariant.hpp"

namespace muster::catalog {

namespace {

void* block_for(byte_view proxy) {
  MUSTER_INVARIANT(proxy.size() < 0x80000000U, "proxies come out of messages, which are far smaller");
  return ::operator new(sizeof(object) + proxy.size());
}

}  // namespace

ref<object> object::make(ref<interned> type, byte_view proxy, std::uint64_t row_key) {
  void* memory = block_for(proxy);
  auto* record = new (memory) object{std::move(type), static_cast<std::uint32_t>(proxy.size()), row_key};
  std::memcpy(static_cast<void*>(record + 1), proxy.data(), proxy.size());
  return ref<object>{record};
}

ref<object> object::make_deployed(ref<interned> type, byte_view proxy, ref<interned> application) {
  void* memory = block_for(proxy);
  auto* record = new (memory) object{std::move(type), static_cast<std::uint32_t>(proxy.size()), application.detach()};
  std::memcpy(static_cast<void*>(record + 1), proxy.data(), proxy.size());
  return ref<object>{record};
}

void object::destroy(const object* record) noexcept {
  if (record->is_deployed()) intrusive_ptr_release(record->owner_.application);
  record->~object();
  ::operator delete(const_cast<void*>(static_cast<const void*>(record)));
}

}  // namespace muster::catalog

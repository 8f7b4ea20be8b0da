#include "muster/catalog/adapter.hpp"

#include <algorithm>
#include <new>

#include "muster/base/invariant.hpp"

namespace muster::catalog {

ref<adapter> adapter::make(std::string_view id, std::string_view replica_group, byte_view proxy,
                           std::uint64_t row_key) {
  const std::size_t content_bytes = id.size() + replica_group.size() + proxy.size();
  MUSTER_INVARIANT(content_bytes < 0x80000000U, "ids and proxies come out of messages, which are far smaller");
  void* memory = ::operator new(sizeof(adapter) + content_bytes);
  auto* record =
      new (memory) adapter{static_cast<std::uint32_t>(id.size()), static_cast<std::uint32_t>(replica_group.size()),
                           static_cast<std::uint32_t>(proxy.size()), row_key};
  auto* to = reinterpret_cast<std::uint8_t*>(record + 1);
  to = std::copy(id.begin(), id.end(), to);
  to = std::copy(replica_group.begin(), replica_group.end(), to);
  std::copy(proxy.begin(), proxy.end(), to);
  return ref<adapter>{record};
}

void adapter::destroy(const adapter* record) noexcept {
  record->~adapter();
  ::operator delete(const_cast<void*>(static_cast<const void*>(record)));
}

}  // namespace muster::catalog

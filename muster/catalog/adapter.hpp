#pragma once

#include <cstdint>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/catalog/counted.hpp"
#include "muster/catalog/encoded_proxy.hpp"
#include "muster/catalog/hash.hpp"

namespace muster::catalog {

/// A dynamically registered adapter. One heap block: 24 bytes, the id, the group's id and the encoded proxy.
class adapter final : public counted<adapter> {
 public:
  [[nodiscard]] static ref<adapter> make(std::string_view id, std::string_view replica_group, byte_view proxy,
                                         std::uint64_t row_key);
  static void destroy(const adapter* record) noexcept;

  [[nodiscard]] std::string_view id() const noexcept { return {text(), id_bytes_}; }
  /// Empty = none.
  [[nodiscard]] std::string_view replica_group() const noexcept { return {text() + id_bytes_, group_bytes_}; }
  [[nodiscard]] byte_view proxy() const noexcept {
    return {reinterpret_cast<const std::uint8_t*>(text() + id_bytes_ + group_bytes_), proxy_bytes_};
  }
  [[nodiscard]] std::uint64_t row_key() const noexcept { return row_key_; }

 private:
  adapter(std::uint32_t id_bytes, std::uint32_t group_bytes, std::uint32_t proxy_bytes, std::uint64_t row_key) noexcept
      : id_bytes_{id_bytes}, group_bytes_{group_bytes}, proxy_bytes_{proxy_bytes}, row_key_{row_key} {}
  ~adapter() = default;

  [[nodiscard]] const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }

  std::uint32_t id_bytes_;
  std::uint32_t group_bytes_;
  std::uint32_t proxy_bytes_;
  std::uint64_t row_key_;
};

/// For every kind of record that has an `id()`.
template <typename Record>
struct by_id {
  using record = Record;
  using key = std::string_view;
  [[nodiscard]] static key key_of(const Record& one) noexcept { return one.id(); }
  [[nodiscard]] static std::uint64_t hash(key id) noexcept { return hash_bytes(id); }
};

}  // namespace muster::catalog

#pragma once

#include <cstdint>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/catalog/counted.hpp"
#include "muster/catalog/encoded_proxy.hpp"
#include "muster/catalog/hash.hpp"
#include "muster/catalog/interned.hpp"

namespace muster::catalog {

/// A well-known object. One heap block: 24 bytes and the encoded proxy, whose first bytes are the identity.
class object final : public counted<object> {
 public:
  /// Registered by a change of its own; `row_key` is that change's serial.
  [[nodiscard]] static ref<object> make(ref<interned> type, byte_view proxy, std::uint64_t row_key);
  /// Part of an application, and durable with that one.
  [[nodiscard]] static ref<object> make_deployed(ref<interned> type, byte_view proxy, ref<interned> application);
  static void destroy(const object* record) noexcept;

  [[nodiscard]] identity_view identity() const noexcept { return trusted_identity(proxy()); }
  [[nodiscard]] std::string_view type() const noexcept { return type_->text(); }
  [[nodiscard]] const ref<interned>& type_ref() const noexcept { return type_; }
  /// The encoded proxy, as Ice writes it.
  [[nodiscard]] byte_view proxy() const noexcept {
    return {reinterpret_cast<const std::uint8_t*>(this + 1), proxy_bytes_ & ~deployed_bit};
  }

  [[nodiscard]] bool is_deployed() const noexcept { return (proxy_bytes_ & deployed_bit) != 0; }
  /// The application it belongs to; empty for an object of its own.
  [[nodiscard]] std::string_view application() const noexcept {
    return is_deployed() ? owner_.application->text() : "";
  }
  /// 0 for a deployed object.
  [[nodiscard]] std::uint64_t row_key() const noexcept { return is_deployed() ? 0 : owner_.row_key; }

 private:
  static constexpr std::uint32_t deployed_bit = 0x80000000U;

  /// Which of the two it is says `deployed_bit`.
  union owner {
    std::uint64_t row_key;
    const interned* application;  // one reference, which `destroy` gives back
  };

  object(ref<interned> type, std::uint32_t proxy_bytes, std::uint64_t row_key) noexcept
      : proxy_bytes_{proxy_bytes}, type_{std::move(type)}, owner_{.row_key = row_key} {}
  object(ref<interned> type, std::uint32_t proxy_bytes, const interned* application) noexcept
      : proxy_bytes_{proxy_bytes | deployed_bit}, type_{std::move(type)}, owner_{.application = application} {}
  ~object() = default;

  std::uint32_t proxy_bytes_;
  ref<interned> type_;
  owner owner_;
};

struct by_identity {
  using record = object;
  using key = identity_view;
  [[nodiscard]] static key key_of(const object& one) noexcept { return one.identity(); }
  [[nodiscard]] static std::uint64_t hash(key id) noexcept { return hash_bytes(id.name, hash_bytes(id.category)); }
};

}  // namespace muster::catalog

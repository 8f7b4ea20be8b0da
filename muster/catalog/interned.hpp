#pragma once

#include <cstddef>
#include <string_view>

#include "muster/catalog/counted.hpp"

namespace muster::catalog {

/// A string that many records share: the name of a type, the name of an application. One heap block.
class interned final : public counted<interned> {
 public:
  [[nodiscard]] static ref<interned> make(std::string_view text);
  static void destroy(const interned* record) noexcept;

  [[nodiscard]] std::string_view text() const noexcept { return {reinterpret_cast<const char*>(this + 1), size_}; }

 private:
  explicit interned(std::uint32_t size) noexcept : size_{size} {}
  ~interned() = default;

  std::uint32_t size_;
};

}  // namespace muster::catalog

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "muster/catalog/counted.hpp"
#include "muster/catalog/interned.hpp"
#include "muster/descriptor/contents.hpp"
#include "muster/descriptor/slice_types.hpp"

namespace muster::catalog {

/// An application as it is stored: its description whole, with who changed it when, and what that puts into the maps.
struct application final : counted<application> {
  application(ref<interned> in_name, std::shared_ptr<const IceGrid::ApplicationInfo> in_info,
              std::shared_ptr<const descriptor::contents> in_contents, std::uint64_t in_row_key)
      : name{std::move(in_name)}, info{std::move(in_info)}, contents{std::move(in_contents)}, row_key{in_row_key} {}

  [[nodiscard]] std::string_view id() const noexcept { return name->text(); }

  ref<interned> name;
  std::shared_ptr<const IceGrid::ApplicationInfo> info;
  std::shared_ptr<const descriptor::contents> contents;
  std::uint64_t row_key;
};

}  // namespace muster::catalog

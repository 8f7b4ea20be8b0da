#pragma once

#include <compare>
#include <string>
#include <string_view>

#include <Ice/Identity.h>

namespace muster::catalog {

/// The identity of an Ice object, looked at where it lies. Both parts empty is the identity of the null proxy.
struct identity_view {
  std::string_view name;
  std::string_view category;

  friend bool operator==(const identity_view&, const identity_view&) = default;
  friend auto operator<=>(const identity_view&, const identity_view&) = default;

  [[nodiscard]] bool is_none() const noexcept { return name.empty() && category.empty(); }
};

[[nodiscard]] inline identity_view view_of(const Ice::Identity& id) noexcept { return {id.name, id.category}; }
[[nodiscard]] inline Ice::Identity to_identity(identity_view id) {
  return {std::string{id.name}, std::string{id.category}};
}

/// `category/name` with the escapes of Ice's own text form (mode "Unicode"): what people type, and what the pattern of
/// `Admin::getAllObjectInfos` is held against.
[[nodiscard]] std::string to_text(identity_view id);

}  // namespace muster::catalog

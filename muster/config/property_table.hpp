#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "muster/base/result.hpp"

namespace muster::config {

/// What a value has to look like.
enum class value_kind : std::uint8_t {
  boolean,  ///< 0 is off, a number above 0 is on
  integer,  ///< within the row's bounds
  seconds,  ///< likewise; so are the next four
  milliseconds,
  mebibytes,
  bytes,
  percent,
  text,      ///< anything
  identity,  ///< anything that can stand in an identity
  path,      ///< a file or directory; not checked here
  endpoints,
  proxy,
  host_port,
  level,  ///< of our log
};

/// What becomes of a property that is set.
enum class support : std::uint8_t {
  supported,
  passed_on,       ///< Ice itself reads it; the form is checked here
  without_effect,  ///< warned about by name
  refused,         ///< stops the start when set to anything but its default: to ignore it would be unsafe
};

/// One row of the reference: everything that is known of a property, in one place. The reader takes defaults and bounds
/// from here, the documentation is generated from here.
struct property_row {
  std::string_view name;  ///< for an adapter's or proxy's suffix: what stands after its name and the dot
  value_kind kind{};
  std::string_view fallback;  ///< the default, written as a value; empty: none
  std::int64_t least{};       ///< for numbers
  std::int64_t most{};
  support supported{};
  std::string_view meaning;    ///< one or two sentences
  std::string_view otherwise;  ///< where support is partial or missing: what happens
};

/// Properties with a name of their own, in the order of the documentation.
[[nodiscard]] std::span<const property_row> registry_properties();
/// Suffixes that each of the registry's adapters takes, and those adapters.
[[nodiscard]] std::span<const property_row> adapter_suffixes();
[[nodiscard]] std::span<const std::string_view> registry_adapters();
/// Suffixes that each property that holds a proxy takes, and those properties.
[[nodiscard]] std::span<const property_row> proxy_suffixes();
[[nodiscard]] std::span<const std::string_view> registry_proxies();

/// The row for a full name, of whichever table; null when there is none.
[[nodiscard]] const property_row* find_property(std::string_view name);

/// The known name that `name` was most likely meant to be; none when nothing comes near.
[[nodiscard]] std::optional<std::string> nearest_property(std::string_view name);

/// What is allowed as a value of this row: a phrase for a message.
[[nodiscard]] std::string allowed_values(const property_row& row);

/// Checks a value against its row; the message is the one line for the operator.
[[nodiscard]] result<void> check_value(std::string_view name, const property_row& row, std::string_view value);

}  // namespace muster::config

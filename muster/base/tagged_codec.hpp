#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "muster/base/codec.hpp"

/// Reads what a byte chooses among: codecs of messages have these in common.
namespace muster {

/// An enumerator as one byte. The input has failed when it is beyond `last`; the first enumerator is given then.
template <typename Enum>
[[nodiscard]] Enum get_enum(byte_reader& in, Enum last) {
  const std::uint8_t value = in.u8();
  if (value > static_cast<std::uint8_t>(last)) {
    in.set_failed();
    return Enum{};
  }
  return static_cast<Enum>(value);
}

/// A byte that is 0 or 1; with any other the input has failed.
[[nodiscard]] inline bool get_bool(byte_reader& in) {
  const std::uint8_t value = in.u8();
  if (value > 1) {
    in.set_failed();
  }
  return value == 1;
}

/// Makes the alternative numbered `kind` and has it read by `get(in, alternative)`. False for a number beyond the last.
template <typename Variant, typename Get, std::size_t Index = 0>
[[nodiscard]] bool get_alternative(byte_reader& in, std::uint8_t kind, Variant& out, const Get& get) {
  if constexpr (Index == std::variant_size_v<Variant>) {
    return false;
  } else {
    if (kind != Index) {
      return get_alternative<Variant, Get, Index + 1>(in, kind, out, get);
    }
    get(in, out.template emplace<Index>());
    return true;
  }
}

}  // namespace muster

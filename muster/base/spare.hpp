#pragma once

#include <cstddef>
#include <vector>

namespace muster {

/// Makes room for one more element, and a quarter of all at most when there was none: for tables that are many, or
/// large, and grow slowly. A vector by itself would double.
template <typename Element>
void reserve_one_more(std::vector<Element>& in) {
  constexpr std::size_t share = 4;
  constexpr std::size_t at_least = 4;
  if (in.size() == in.capacity()) {
    in.reserve(in.size() + in.size() / share + at_least);
  }
}

/// Empties it and keeps no memory: `clear()` and `= {}` would.
template <typename Container>
void give_back(Container& in) {
  Container{}.swap(in);
}

}  // namespace muster

#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "muster/actor/actor_ref.hpp"
#include "muster/receptionist/roster.hpp"
#include "muster/receptionist/service_key.hpp"
#include "muster/receptionist/typed_rows.hpp"

namespace muster {

/// Refs of actors that take messages of type T, in an order that is the same on all nodes (by node, then path). What it
/// refers to never changes; copies share it. The refs themselves are made when they are first looked at, once for all
/// copies and all threads, so a listing that nobody reads costs next to nothing.
template <typename T>
class ref_list {
 public:
  using value_type = actor_ref<T>;
  using const_iterator = typename std::span<const actor_ref<T>>::iterator;
  enum class which : bool { reachable, all };

  ref_list() noexcept = default;
  ref_list(receptionist::roster_ptr rows, which of) noexcept : rows_{std::move(rows)}, of_{of} {}

  [[nodiscard]] std::span<const actor_ref<T>> view() const {
    if (!rows_) return {};
    const auto& made = receptionist::typed_rows<T>::of(*rows_);
    return of_ == which::all ? made.all() : made.reachable();
  }
  [[nodiscard]] bool empty() const { return view().empty(); }
  [[nodiscard]] std::size_t size() const { return view().size(); }
  /// The number must be below `size()`: look whether the list is empty before asking for its first ref.
  [[nodiscard]] const actor_ref<T>& operator[](std::size_t number) const {
    const auto all = view();
    MUSTER_INVARIANT(number < all.size(), "a ref is asked for by a number below the size of its listing");
    return all[number];
  }
  [[nodiscard]] auto begin() const { return view().begin(); }
  [[nodiscard]] auto end() const { return view().end(); }

  friend bool operator==(const ref_list& a, const ref_list& b) {
    if (a.rows_ == b.rows_ && a.of_ == b.of_) return true;
    const auto left = a.view();
    const auto right = b.view();
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  }

 private:
  receptionist::roster_ptr rows_;
  which of_{which::all};
};

/// Who offers a service at one moment. A value that never changes: cheap to copy, on any thread.
template <typename T>
struct listing {
  service_key<T> key;
  ref_list<T> refs;      ///< those on nodes that can be reached
  ref_list<T> all_refs;  ///< likewise, and those on nodes that cannot be reached now but are not given up

  listing() noexcept = default;
  listing(const any_key& of, const receptionist::roster_ptr& rows)
      : key{of}, refs{rows, ref_list<T>::which::reachable}, all_refs{rows, ref_list<T>::which::all} {
    // What is left out of it is to be told even if nobody looks.
    if (rows && (rows->is_mixed() || rows->front().type.view() != message_name<T>)) {
      receptionist::typed_rows<T>::note_left_out(*rows);
    }
  }
};

namespace receptionist {

using muster::listing;
using muster::ref_list;
using muster::service_key;

}  // namespace receptionist
}  // namespace muster

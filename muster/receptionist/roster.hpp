#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "muster/gossip/identity.hpp"
#include "muster/receptionist/counted_array.hpp"

namespace muster::receptionist {

class scene;

/// Where registrations come from: one life of a node. There is one record of each in a core, shared by its rows.
struct origin_record : boost::intrusive_ref_counter<origin_record> {
  origin_record(gossip::origin_id who, bool is_this_node, std::shared_ptr<scene> seen_in)
      : id{std::move(who)}, is_own{is_this_node}, in{std::move(seen_in)} {}

  const gossip::origin_id id;
  const bool is_own;
  /// What it takes to make refs of its rows; may be null in tests of the core.
  const std::shared_ptr<scene> in;
};
using origin_ptr = boost::intrusive_ptr<const origin_record>;

/// One registration under a key. Rows are in the order of node, then path: the same on all nodes. Those of two records
/// of one life, of which one is gone, do not mix.
struct row {
  origin_ptr origin;
  gossip::shared_text path;
  std::uint64_t incarnation{0};
  gossip::shared_text type;

  friend bool operator==(const row& a, const row& b) noexcept { return (a <=> b) == std::strong_ordering::equal; }
  friend std::strong_ordering operator<=>(const row& a, const row& b) noexcept;
};

/// A row to be put in, or taken out.
struct edit {
  row what;
  bool vanishes{false};
};

/// The origins that cannot be reached now. Null stands for none.
struct unreachable_origins : boost::intrusive_ref_counter<unreachable_origins> {
  std::vector<origin_ptr> origins;  ///< by address
  /// Likewise: those that are gone. Their rows are not shown, whether or not they have been taken out already.
  std::vector<origin_ptr> gone;

  [[nodiscard]] bool contains(const origin_ptr& which) const noexcept;
  [[nodiscard]] bool is_gone(const origin_ptr& which) const noexcept;
};
/// Visits each that is in one of the two only, until `visit(origin)` returns true: whether it did.
template <typename Visit>
bool any_of_difference(const unreachable_origins* a, const unreachable_origins* b, Visit&& visit) {
  const std::span<const origin_ptr> left = a ? std::span{a->origins} : std::span<const origin_ptr>{};
  const std::span<const origin_ptr> right = b ? std::span{b->origins} : std::span<const origin_ptr>{};
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i] == right[j]) {
      ++i, ++j;
    } else if (j == right.size() || (i < left.size() && left[i] < right[j])) {
      if (visit(left[i++])) return true;
    } else if (visit(right[j++])) {
      return true;
    }
  }
  return false;
}
using unreachable_ptr = boost::intrusive_ptr<const unreachable_origins>;

/// Some hundred rows: what two versions of a roster share where they do not differ.
class chunk final : public counted_array<chunk, row> {
 public:
  /// The rows are moved from.
  [[nodiscard]] static pointer of(std::span<row> rows) { return make(rows, have_one_type(rows)); }

  ~chunk() = default;
  /// All rows have the type of the first.
  [[nodiscard]] bool has_one_type() const noexcept { return is_marked(); }

 private:
  friend counted_array;
  chunk() noexcept = default;
  [[nodiscard]] static bool have_one_type(std::span<const row> rows) noexcept;
};
using chunk_ptr = chunk::pointer;

/// Something that was made of a roster and is kept with it: the typed refs of its rows.
class roster_view {
 public:
  explicit roster_view(const void* kind) noexcept : kind_{kind} {}
  roster_view(const roster_view&) = delete;
  roster_view& operator=(const roster_view&) = delete;
  virtual ~roster_view() = default;

 private:
  friend class roster;
  const void* const kind_;
  const roster_view* next_{nullptr};
};

/// All registrations under one key at one moment, of whatever types; never empty (null stands for that), never changed.
/// A successor shares what is equal: of n rows it copies about n/128 pointers and the chunks that change, so that a key
/// with 100,000 rows can be published after every change. One row, which is all that most keys have, needs no chunk: it
/// stands in the roster itself.
class roster final : public counted_array<roster, chunk_ptr> {
 public:
  /// `edits` are in the order of their rows, each of which is in `base` exactly if it vanishes. Rows of origins that
  /// are gone are left out. Null if no row is left.
  [[nodiscard]] static pointer merged(const gossip::shared_text& key, const pointer& base, std::span<const edit> edits,
                                      unreachable_ptr unreachable);
  /// With one edit, which is what most changes are.
  [[nodiscard]] static pointer merged_with(const gossip::shared_text& key, const pointer& base, const row& what,
                                           bool vanishes, unreachable_ptr unreachable);

  ~roster();

  [[nodiscard]] const gossip::shared_text& key() const noexcept { return key_; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_; }
  [[nodiscard]] bool contains(const row& which) const noexcept;
  [[nodiscard]] bool is_reachable(const row& which) const noexcept {
    return unreachable_ == nullptr || !unreachable_->contains(which.origin);
  }
  [[nodiscard]] bool has_rows_of(const origin_ptr& which) const noexcept;
  /// One of its rows has another type than this one, or a type that its node did not name.
  [[nodiscard]] bool is_mixed() const noexcept { return is_marked(); }
  [[nodiscard]] const row& front() const noexcept { return rows_of(0).front(); }
  [[nodiscard]] const unreachable_ptr& unreachable() const noexcept { return unreachable_; }

  /// In order, from the first that is not less than `from` on, until `visit(row)` returns false.
  template <typename Visit>
  void visit_from(const row& from, Visit&& visit) const {
    const auto [number, offset] = lower_bound(from);
    std::size_t begin = offset;
    for (std::size_t i = number; i < chunk_count(); ++i, begin = 0) {
      for (const row& one : rows_of(i).subspan(begin)) {
        if (!visit(one)) return;
      }
    }
  }
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < chunk_count(); ++i) {
      for (const row& each : rows_of(i)) visit(each);
    }
  }

  /// Rows in order, among them one of each type: of a chunk of one type only the first.
  template <typename Visit>
  void for_each_type(Visit&& visit) const {
    for (std::size_t i = 0; i < chunk_count(); ++i) {
      const std::span<const row> rows = rows_of(i);
      for (const row& each : is_single() || items()[i]->has_one_type() ? rows.first(1) : rows) visit(each);
    }
  }

  /// The view of that kind: made by the first who asks, on whatever thread, and there as long as the roster is. Two who
  /// ask at once may both make it; one of the two is kept.
  template <typename Make>
  [[nodiscard]] const roster_view& view(const void* kind, Make&& make) const {
    if (const roster_view* const found = find_view(kind)) return *found;
    return keep_view(std::forward<Make>(make)());
  }

 private:
  friend counted_array;
  roster(gossip::shared_text key, std::size_t rows, unreachable_ptr unreachable) noexcept
      : rows_{static_cast<std::uint32_t>(rows)}, key_{std::move(key)}, unreachable_{std::move(unreachable)} {}

  [[nodiscard]] static pointer of_one(const gossip::shared_text& key, row what, unreachable_ptr unreachable);
  /// Its only row stands behind it, and it has no chunk.
  [[nodiscard]] bool is_single() const noexcept { return items().empty(); }
  [[nodiscard]] std::size_t chunk_count() const noexcept { return is_single() ? 1 : items().size(); }
  [[nodiscard]] std::span<const row> rows_of(std::size_t chunk_number) const noexcept {
    static_assert(sizeof(roster) % alignof(row) == 0);
    if (is_single()) return {reinterpret_cast<const row*>(this + 1), 1};
    return items()[chunk_number]->items();
  }

  friend bool same_content(const pointer& a, const pointer& b) noexcept;
  friend bool differs_for(const pointer& a, const pointer& b, std::string_view type) noexcept;
  struct position {
    std::size_t chunk;
    std::size_t offset;
  };
  [[nodiscard]] position lower_bound(const row& which) const noexcept;
  [[nodiscard]] const roster_view* find_view(const void* kind) const noexcept;
  [[nodiscard]] const roster_view& keep_view(std::unique_ptr<roster_view> made) const noexcept;

  const std::uint32_t rows_;
  const gossip::shared_text key_;
  const unreachable_ptr unreachable_;
  mutable std::atomic<const roster_view*> views_{nullptr};
};
using roster_ptr = roster::pointer;

/// With these origins unreachable, another part of its rows can be reached than it says.
[[nodiscard]] bool reach_differs(const roster& of, const unreachable_origins* now) noexcept;
/// The same rows as they are with these origins unreachable: itself, if that is what it says.
[[nodiscard]] roster_ptr seen_with(const roster_ptr& rows, const unreachable_ptr& now);

/// They list the same registrations, and the same of them as reachable. Cheap where they share chunks.
[[nodiscard]] bool same_content(const roster_ptr& a, const roster_ptr& b) noexcept;
/// Of two that differ in content: whether they do for who sees the rows of one type only. As cheap; where all rows have
/// that type it is known without a look at them.
[[nodiscard]] bool differs_for(const roster_ptr& a, const roster_ptr& b, std::string_view type) noexcept;

}  // namespace muster::receptionist

#include "muster/receptionist/roster.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>

namespace muster::receptionist {

namespace {

constexpr std::size_t chunk_rows_max = 256;
constexpr std::size_t chunk_rows_usual = 128;
/// A chunk that has shrunk below this takes in the next one, so that many removals do not leave many chunks of one row.
constexpr std::size_t chunk_rows_least = 32;

/// Collects the chunks of a new roster.
class builder {
 public:
  explicit builder(std::size_t chunks_before) { chunks_.reserve(chunks_before + 1); }

  [[nodiscard]] bool wants_more() const noexcept { return !rows_.empty() && rows_.size() < chunk_rows_least; }
  void add(const row& one) { rows_.push_back(one); }
  void add_all(std::span<const row> rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); }
  void share(const chunk_ptr& whole) {
    cut();
    chunks_.push_back(whole);
  }
  /// Makes chunks of the rows that were added.
  void cut() {
    const std::size_t count = rows_.size();
    const std::size_t pieces = count == 0                ? 0
                               : count <= chunk_rows_max ? 1
                                                         : (count + chunk_rows_usual - 1) / chunk_rows_usual;
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t begin = count * i / pieces;
      const std::size_t end = count * (i + 1) / pieces;
      chunks_.push_back(chunk::of(std::span{rows_}.subspan(begin, end - begin)));
    }
    rows_.clear();
  }
  [[nodiscard]] std::vector<chunk_ptr>& chunks() noexcept { return chunks_; }
  /// All that there is, where it is one row; null otherwise.
  [[nodiscard]] row* only_row() noexcept { return chunks_.empty() && rows_.size() == 1 ? &rows_.front() : nullptr; }

 private:
  std::vector<chunk_ptr> chunks_;
  std::vector<row> rows_;
};

/// Those of the origins that are gone that a roster still has rows of: few.
class hidden_rows {
 public:
  hidden_rows(const roster_ptr& in, const unreachable_ptr& now) {
    if (!in || !now) return;
    for (const origin_ptr& one : now->gone) {
      if (in->has_rows_of(one)) of_.push_back(one);
    }
  }
  [[nodiscard]] bool contain(const row& which) const noexcept {
    return !of_.empty() && std::ranges::find(of_, which.origin) != of_.end();
  }
  /// The rows of one origin stand together.
  [[nodiscard]] bool are_in(std::span<const row> rows) const noexcept {
    return std::ranges::any_of(of_, [&](const origin_ptr& one) {
      const auto found = std::ranges::lower_bound(rows, row{one, {}, 0, {}});
      return found != rows.end() && found->origin == one;
    });
  }

 private:
  std::vector<origin_ptr> of_;
};

void merge(builder& into, std::span<const row> rows, std::span<const edit> edits, const hidden_rows& hidden) {
  const auto keep = [&](const row& one) {
    if (!hidden.contain(one)) into.add(one);
  };
  auto one = rows.begin();
  for (const edit& change : edits) {
    while (one != rows.end() && *one < change.what) keep(*one++);
    if (!change.vanishes) {
      into.add(change.what);
    } else if (one != rows.end() && *one == change.what) {
      ++one;
    }
  }
  for (; one != rows.end(); ++one) keep(*one);
}

/// The order of what they stand for.
std::strong_ordering order_of_content(const row& a, const row& b) noexcept {
  if (a.origin != b.origin) {
    if (const auto origins = a.origin->id <=> b.origin->id; origins != 0) return origins;
  }
  if (!a.path.is_same_block(b.path)) {
    if (const auto paths = a.path <=> b.path; paths != 0) return paths;
  }
  if (const auto lives = a.incarnation <=> b.incarnation; lives != 0) return lives;
  return a.type.is_same_block(b.type) ? std::strong_ordering::equal : a.type <=> b.type;
}

/// A type that another node did not name equals nothing.
bool is_named(const row& one) noexcept { return one.origin->is_own || !one.type.empty(); }

}  // namespace

std::strong_ordering operator<=>(const row& a, const row& b) noexcept {
  if (a.origin != b.origin) {
    if (const auto origins = a.origin->id <=> b.origin->id; origins != 0) return origins;
    return std::compare_three_way{}(a.origin.get(), b.origin.get());
  }
  return order_of_content(a, b);
}

bool chunk::have_one_type(std::span<const row> rows) noexcept {
  return std::ranges::all_of(rows, [&](const row& one) { return is_named(one) && one.type == rows.front().type; });
}

bool unreachable_origins::contains(const origin_ptr& which) const noexcept {
  return std::binary_search(origins.begin(), origins.end(), which);
}

bool unreachable_origins::is_gone(const origin_ptr& which) const noexcept {
  return std::binary_search(gone.begin(), gone.end(), which);
}

roster_ptr roster::merged(const gossip::shared_text& key, const roster_ptr& base, std::span<const edit> edits,
                          unreachable_ptr unreachable) {
  const std::size_t old = base ? base->chunk_count() : 0;
  builder made{old};
  const hidden_rows hidden{base, unreachable};
  if (old == 0) merge(made, {}, edits, hidden);
  auto next = edits.begin();
  for (std::size_t i = 0; i < old; ++i) {
    // What lies before the first row of the next chunk belongs to this one.
    const auto end = i + 1 == old
                         ? edits.end()
                         : std::lower_bound(next, edits.end(), base->rows_of(i + 1).front(),
                                            [](const edit& change, const row& first) { return change.what < first; });
    if (next != end || hidden.are_in(base->rows_of(i))) {
      if (!made.wants_more()) made.cut();
      merge(made, base->rows_of(i), {next, end}, hidden);
    } else if (made.wants_more() || base->is_single()) {
      made.add_all(base->rows_of(i));
    } else {
      made.share(base->items()[i]);
    }
    next = end;
  }
  if (row* const only = made.only_row()) return of_one(key, std::move(*only), std::move(unreachable));
  made.cut();
  std::vector<chunk_ptr>& chunks = made.chunks();
  if (chunks.empty()) return nullptr;
  std::size_t rows = 0;
  for (const chunk_ptr& one : chunks) rows += one->items().size();
  const row& first = chunks.front()->items().front();
  const bool mixed = !std::ranges::all_of(
      chunks, [&](const chunk_ptr& one) { return one->has_one_type() && one->items().front().type == first.type; });
  return make(chunks, mixed, key, rows, std::move(unreachable));
}

roster_ptr roster::merged_with(const gossip::shared_text& key, const roster_ptr& base, const row& what, bool vanishes,
                               unreachable_ptr unreachable) {
  // The only row of a key comes or goes.
  if (!base) return of_one(key, what, std::move(unreachable));
  if (base->is_single() && vanishes) return nullptr;
  const edit one{what, vanishes};
  return merged(key, base, {&one, 1}, std::move(unreachable));
}

roster_ptr roster::of_one(const gossip::shared_text& key, row what, unreachable_ptr unreachable) {
  static_assert(std::is_nothrow_move_constructible_v<row>);
  roster* const made = make_with_room(sizeof(row), !is_named(what), key, std::size_t{1}, std::move(unreachable));
  ::new (static_cast<void*>(made + 1)) row(std::move(what));
  return pointer{made};
}

roster::~roster() {
  if (is_single()) std::destroy_at(reinterpret_cast<row*>(this + 1));
  const roster_view* view = views_.load(std::memory_order_acquire);
  while (view != nullptr) delete std::exchange(view, view->next_);
}

roster::position roster::lower_bound(const row& which) const noexcept {
  if (is_single()) return {0, front() < which ? std::size_t{1} : std::size_t{0}};
  const auto chunks = items();
  // The last chunk that begins at or before it.
  const auto after = std::ranges::upper_bound(chunks, which, std::ranges::less{},
                                              [](const chunk_ptr& one) -> const row& { return one->items().front(); });
  if (after == chunks.begin()) return {0, 0};
  const auto number = static_cast<std::size_t>(std::distance(chunks.begin(), after)) - 1;
  const auto rows = chunks[number]->items();
  const auto found = std::ranges::lower_bound(rows, which);
  return {number, static_cast<std::size_t>(std::distance(rows.begin(), found))};
}

bool roster::contains(const row& which) const noexcept {
  bool found = false;
  visit_from(which, [&](const row& one) {
    found = one == which;
    return false;
  });
  return found;
}

bool roster::has_rows_of(const origin_ptr& which) const noexcept {
  bool found = false;
  visit_from(row{which, {}, 0, {}}, [&](const row& one) {
    found = one.origin == which;
    return false;
  });
  return found;
}

const roster_view* roster::find_view(const void* kind) const noexcept {
  const roster_view* view = views_.load(std::memory_order_acquire);
  while (view != nullptr && view->kind_ != kind) view = view->next_;
  return view;
}

const roster_view& roster::keep_view(std::unique_ptr<roster_view> made) const noexcept {
  const roster_view* first = views_.load(std::memory_order_acquire);
  while (true) {
    for (const roster_view* one = first; one != nullptr; one = one->next_) {
      if (one->kind_ == made->kind_) return *one;
    }
    made->next_ = first;
    if (views_.compare_exchange_weak(first, made.get(), std::memory_order_acq_rel, std::memory_order_acquire)) {
      return *made.release();
    }
  }
}

bool reach_differs(const roster& of, const unreachable_origins* now) noexcept {
  const unreachable_origins* const then = of.unreachable().get();
  const auto has_rows = [&](const origin_ptr& one) { return of.has_rows_of(one); };
  if (then == now) return false;
  return any_of_difference(then, now, has_rows) || (now != nullptr && std::ranges::any_of(now->gone, has_rows));
}

roster_ptr seen_with(const roster_ptr& rows, const unreachable_ptr& now) {
  if (!rows || !reach_differs(*rows, now.get())) return rows;
  return roster::merged(rows->key(), rows, {}, now);
}

bool same_content(const roster_ptr& a, const roster_ptr& b) noexcept {
  if (a == b) return true;
  if (!a || !b || a->size() != b->size()) return false;
  const bool share_chunks = a->unreachable() == b->unreachable() && !a->is_single() && !b->is_single();
  std::size_t i = 0, j = 0, at = 0, bt = 0;  // chunk and offset on both sides
  while (i < a->chunk_count() && j < b->chunk_count()) {
    if (at == 0 && bt == 0 && share_chunks && a->items()[i] == b->items()[j]) {
      ++i, ++j;
      continue;
    }
    const row& one = a->rows_of(i)[at];
    const row& other = b->rows_of(j)[bt];
    if (order_of_content(one, other) != 0 || a->is_reachable(one) != b->is_reachable(other)) return false;
    if (++at == a->rows_of(i).size()) ++i, at = 0;
    if (++bt == b->rows_of(j).size()) ++j, bt = 0;
  }
  return true;
}

bool differs_for(const roster_ptr& a, const roster_ptr& b, std::string_view type) noexcept {
  const auto is_seen = [&](const row& one) { return is_named(one) && one.type.view() == type; };
  const auto is_seen_whole = [&](const roster_ptr& of) { return !of || (!of->is_mixed() && is_seen(of->front())); };
  if (is_seen_whole(a) && is_seen_whole(b)) return true;

  struct place {
    const roster* in;
    std::size_t chunk{0};
    std::size_t offset{0};

    [[nodiscard]] bool is_end() const noexcept { return in == nullptr || chunk == in->chunk_count(); }
    [[nodiscard]] const row& at() const noexcept { return in->rows_of(chunk)[offset]; }
    /// True when that leads into another chunk.
    bool step() noexcept {
      if (++offset < in->rows_of(chunk).size()) return false;
      ++chunk, offset = 0;
      return true;
    }
  };
  place x{a.get()};
  place y{b.get()};
  const bool share_chunks = a && b && a->unreachable() == b->unreachable() && !a->is_single() && !b->is_single();
  // To the next row that is seen, or only to the next chunk, which both may have: whether it is such a row or the end.
  const auto seek = [&](place& of) {
    while (!of.is_end() && !is_seen(of.at())) {
      if (of.step()) return of.is_end();
    }
    return true;
  };
  while (true) {
    if (share_chunks && x.offset == 0 && y.offset == 0 && !x.is_end() && !y.is_end() &&
        a->items()[x.chunk] == b->items()[y.chunk]) {
      ++x.chunk, ++y.chunk;
      continue;
    }
    if (!seek(x) || !seek(y)) continue;
    if (x.is_end() || y.is_end()) return x.is_end() != y.is_end();
    if (order_of_content(x.at(), y.at()) != 0 || a->is_reachable(x.at()) != b->is_reachable(y.at())) return true;
    x.step();
    y.step();
  }
}

}  // namespace muster::receptionist

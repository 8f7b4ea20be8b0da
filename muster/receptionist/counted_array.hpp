#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace muster::receptionist {

/// What never changes once it is made, and may be held by many: a `Self` with its items behind it, in one allocation.
/// Handles may be copied and dropped on any thread.
template <typename Self, typename Item>
class alignas(Item) counted_array {
 public:
  using pointer = boost::intrusive_ptr<const Self>;

  counted_array(const counted_array&) = delete;
  counted_array& operator=(const counted_array&) = delete;

  [[nodiscard]] std::span<const Item> items() const noexcept {
    static_assert(alignof(Item) <= alignof(Self) && sizeof(Self) % alignof(Item) == 0);
    return {reinterpret_cast<const Item*>(static_cast<const Self*>(this) + 1), count_};
  }

 protected:
  counted_array() noexcept = default;
  ~counted_array() = default;

  /// One bit to spare, for whatever `Self` has to say of its items.
  [[nodiscard]] bool is_marked() const noexcept { return marked_; }

  /// The items are moved from.
  template <typename... Args>
  [[nodiscard]] static pointer make(std::span<Item> items, bool marked, Args&&... args) {
    static_assert(std::is_nothrow_move_constructible_v<Item>);
    void* const space = ::operator new(sizeof(Self) + items.size() * sizeof(Item));
    Self* const made = ::new (space) Self(std::forward<Args>(args)...);
    std::uninitialized_move(items.begin(), items.end(), reinterpret_cast<Item*>(made + 1));
    static_cast<counted_array*>(made)->count_ = static_cast<std::uint32_t>(items.size()) & count_max;
    static_cast<counted_array*>(made)->marked_ = marked;
    return pointer{made};
  }
  /// One without items, and with room for so many bytes of something else behind it, which `Self` looks after.
  template <typename... Args>
  [[nodiscard]] static Self* make_with_room(std::size_t bytes, bool marked, Args&&... args) {
    void* const space = ::operator new(sizeof(Self) + bytes);
    Self* const made = ::new (space) Self(std::forward<Args>(args)...);
    static_cast<counted_array*>(made)->marked_ = marked;
    return made;
  }

 private:
  friend void intrusive_ptr_add_ref(const Self* of) noexcept {
    static_cast<const counted_array*>(of)->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const Self* of) noexcept {
    if (static_cast<const counted_array*>(of)->holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const auto items = of->items();
    std::destroy(items.begin(), items.end());
    of->~Self();
    ::operator delete(const_cast<Self*>(of));
  }

  mutable std::atomic<std::uint32_t> holders_{0};
  static constexpr std::uint32_t count_max = 0x7fff'ffffU;
  std::uint32_t count_ : 31 {0};
  bool marked_ : 1 {false};
};

}  // namespace muster::receptionist

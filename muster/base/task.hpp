#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "muster/base/invariant.hpp"

namespace muster {

/// A function to be called once or more, owned by one holder: what `std::function` is, for callables that can only be
/// moved (they own a reply, a promise, a session). Callables up to `inline_bytes` lie inside, larger ones on the heap.
class task {
 public:
  static constexpr std::size_t inline_bytes = 48;

  task() noexcept = default;

  template <typename Callable>
  requires(!std::same_as<std::remove_cvref_t<Callable>, task> && std::invocable<std::remove_cvref_t<Callable>&>)
      // Implicit on purpose: a lambda is handed to `post` as it is.
      task(Callable&& callable) {  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
    using stored = std::remove_cvref_t<Callable>;
    if constexpr (lies_inside<stored>) {
      ::new (static_cast<void*>(space_)) stored(std::forward<Callable>(callable));
      operations_ = &inside<stored>;
    } else {
      auto owned = std::make_unique<stored>(std::forward<Callable>(callable));
      ::new (static_cast<void*>(space_)) stored*(owned.release());
      operations_ = &outside<stored>;
    }
  }

  task(task&& other) noexcept { take(other); }
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  ~task() { reset(); }

  explicit operator bool() const noexcept { return operations_ != nullptr; }

  void operator()() {
    MUSTER_INVARIANT(operations_ != nullptr, "only a task that holds a function is called");
    operations_->call(space_);
  }

  /// Destroys the callable and all it owns.
  void reset() noexcept {
    if (operations_ != nullptr) {
      std::exchange(operations_, nullptr)->destroy(space_);
    }
  }

 private:
  struct operations {
    void (*call)(void*);
    /// Moves from the first place to the second and destroys what is left in the first.
    void (*relocate)(void*, void*) noexcept;
    void (*destroy)(void*) noexcept;
  };

  template <typename T>
  static constexpr bool lies_inside =
      sizeof(T) <= inline_bytes && alignof(T) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<T>;

  template <typename T>
  static constexpr operations inside{[](void* at) { (*static_cast<T*>(at))(); },
                                     [](void* from, void* to) noexcept {
                                       T* source = static_cast<T*>(from);
                                       ::new (to) T(std::move(*source));
                                       source->~T();
                                     },
                                     [](void* at) noexcept { static_cast<T*>(at)->~T(); }};

  template <typename T>
  static constexpr operations outside{[](void* at) { (**static_cast<T**>(at))(); },
                                      [](void* from, void* to) noexcept { ::new (to) T*(*static_cast<T**>(from)); },
                                      [](void* at) noexcept { std::default_delete<T>{}(*static_cast<T**>(at)); }};

  void take(task& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) {
      operations_->relocate(other.space_, space_);
    }
  }

  const operations* operations_{nullptr};
  alignas(std::max_align_t) std::byte space_[inline_bytes];
};

}  // namespace muster

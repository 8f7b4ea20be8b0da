#pragma once

#include <atomic>
#include <cstdint>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace muster::catalog {

/// A shared immutable record. Copies of a `state` share their records, and any thread may drop the last one.
template <typename Record>
using ref = boost::intrusive_ptr<const Record>;

/// The reference count inside a record: four bytes, and no second block as with `std::shared_ptr`. `Derived` may have a
/// `static void destroy(const Derived*) noexcept` where it was not made by plain `new`.
template <typename Derived>
class counted {
 public:
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

  /// True if the caller's reference is the only one. Only then, and only by the one writer, may a record be changed.
  [[nodiscard]] bool is_unshared() const noexcept { return references_.load(std::memory_order_acquire) == 1; }

  friend void intrusive_ptr_add_ref(const Derived* record) noexcept {
    record->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const Derived* record) noexcept {
    // The only owner need not pay for an atomic write.
    if (record->is_unshared() || record->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      if constexpr (requires { Derived::destroy(record); }) {
        Derived::destroy(record);
      } else {
        delete record;
      }
    }
  }

 protected:
  counted() noexcept = default;
  ~counted() = default;

 private:
  mutable std::atomic<std::uint32_t> references_{0};
};

}  // namespace muster::catalog

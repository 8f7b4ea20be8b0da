#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/conflated_ref.hpp"
#include "muster/receptionist/roster.hpp"
#include "muster/receptionist/service_key.hpp"
#include "muster/receptionist/typed_rows.hpp"

namespace muster::receptionist {

/// Which bound a subscription would exceed.
enum class rejection : std::uint8_t { max_subscribers_per_key, max_subscribers_total };
[[nodiscard]] std::string_view to_string(rejection why) noexcept;

/// The way to one subscriber of one key. A listing that still waits in its mailbox is replaced by the next one.
class listing_line {
 public:
  listing_line() = default;
  listing_line(const listing_line&) = delete;
  listing_line& operator=(const listing_line&) = delete;
  virtual ~listing_line() = default;
  virtual void tell(const any_key& key, const roster_ptr& rows) const = 0;
  /// The rows are others than those before. False, and nothing is told, when the subscriber would see no difference:
  /// registrations of other types than its own came or went.
  virtual bool tell_change(const any_key& key, const roster_ptr& before, const roster_ptr& rows) const = 0;
};

/// What a receptionist, which knows no types, has to know of those who want listings of one kind.
class audience {
 public:
  audience(const audience&) = delete;
  audience& operator=(const audience&) = delete;

  virtual void tell(const any_ref& to, const any_key& key, const roster_ptr& rows) const = 0;
  [[nodiscard]] virtual std::unique_ptr<listing_line> open_line(const any_ref& to) const = 0;
  /// False when it has no place for a `subscribe_rejected`.
  virtual bool reject(const any_ref& to, const any_key& key, rejection reason, std::size_t limit) const = 0;
  [[nodiscard]] virtual const actor_kernel::message_type& rejected_type() const noexcept = 0;

 protected:
  constexpr audience() = default;
  ~audience() = default;
};

/// The ref for messages of type A, if that actor takes them; else null.
template <typename A>
[[nodiscard]] actor_ref<A> ref_for(const any_ref& of) {
  const auto& target = actor_kernel::refs::target(of);
  const auto way_in = target ? actor_kernel::acceptor_of<A>(*target) : nullptr;
  return way_in ? actor_kernel::refs::typed<A>(target, way_in) : actor_ref<A>{};
}

template <typename Listing>
class line_of final : public listing_line {
 public:
  explicit line_of(actor_ref<Listing> to) : to_{std::move(to)} {}
  void tell(const any_key& key, const roster_ptr& rows) const override { to_.tell(Listing{key, rows}); }
  bool tell_change(const any_key& key, const roster_ptr& before, const roster_ptr& rows) const override {
    // A key without a message type is that of a listing of all types, which shows every change.
    if constexpr (requires { typename decltype(Listing::key)::message_type; }) {
      using asked_for = typename decltype(Listing::key)::message_type;
      if (!differs_for(before, rows, message_name<asked_for>)) {
        // What it leaves out is to be told of even if nobody gets a listing.
        if (rows) typed_rows<asked_for>::note_left_out(*rows);
        return false;
      }
    }
    tell(key, rows);
    return true;
  }

 private:
  conflated_ref<Listing> to_;
};

/// Those who are told a `Listing`, or a `Rejected` instead.
template <typename Listing, typename Rejected>
class audience_for final : public audience {  // NOLINT(cppcoreguidelines-virtual-class-destructor): is final
 public:
  constexpr audience_for() = default;

  void tell(const any_ref& to, const any_key& key, const roster_ptr& rows) const override {
    ref_for<Listing>(to).tell(Listing{key, rows});
  }
  [[nodiscard]] std::unique_ptr<listing_line> open_line(const any_ref& to) const override {
    return std::make_unique<line_of<Listing>>(ref_for<Listing>(to));
  }
  bool reject(const any_ref& to, const any_key& key, rejection reason, std::size_t limit) const override {
    const auto place = ref_for<Rejected>(to);
    if (place) place.tell(Rejected{decltype(Rejected::key){key}, reason, limit});
    return static_cast<bool>(place);
  }
  [[nodiscard]] const actor_kernel::message_type& rejected_type() const noexcept override {
    return actor_kernel::type_of<Rejected>;
  }
};

}  // namespace muster::receptionist

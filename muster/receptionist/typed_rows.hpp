#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/departed.hpp"
#include "muster/message/remote_actor.hpp"
#include "muster/receptionist/roster.hpp"
#include "muster/receptionist/scene.hpp"
#include "muster/receptionist/service_key.hpp"

namespace muster::receptionist {

/// The rows of a roster whose actors take messages of type T, as refs.
template <typename T>
class typed_rows final : public roster_view {
 public:
  [[nodiscard]] static const typed_rows& of(const roster& rows) {
    return static_cast<const typed_rows&>(rows.view(&kind, [&] { return std::make_unique<typed_rows>(rows); }));
  }

  /// Tells of rows whose type is another, without making refs: of many rows of one type only a few are looked at.
  static void note_left_out(const roster& rows) {
    left_out of{rows};
    rows.for_each_type([&](const row& one) {
      if (!has_type(one)) of.note(one);
    });
  }

  explicit typed_rows(const roster& rows) : roster_view{&kind} {
    all_.reserve(rows.size());
    const bool some_unreachable = rows.unreachable() != nullptr;
    left_out of{rows};
    rows.for_each([&](const row& one) {
      actor_ref<T> ref = has_type(one) ? ref_of(one) : actor_ref<T>{};
      if (!ref) return of.note(one);
      if (some_unreachable && rows.is_reachable(one)) reachable_.push_back(ref);
      all_.push_back(std::move(ref));
    });
    all_reachable_ = !some_unreachable || reachable_.size() == all_.size();
    if (all_reachable_) reachable_ = {};
  }

  [[nodiscard]] std::span<const actor_ref<T>> all() const noexcept { return all_; }
  [[nodiscard]] std::span<const actor_ref<T>> reachable() const noexcept { return all_reachable_ ? all_ : reachable_; }

 private:
  static constexpr char kind{0};  // its address stands for T

  /// Those that have no place in a listing for T. Neighbours of one type are noted once.
  class left_out {
   public:
    explicit left_out(const roster& of) noexcept : of_{of} {}
    void note(const row& one) {
      if (last_ != nullptr && last_->type == one.type) return;
      last_ = &one;
      one.origin->in->note_mismatch(of_.key(), actor_kernel::type_of<T>.in_log, one);
    }

   private:
    const roster& of_;
    const row* last_{nullptr};
  };

  /// A type without a name is known in its own process only.
  [[nodiscard]] static bool has_type(const row& one) noexcept {
    return one.type.view() == message_name<T> && (one.origin->is_own || !one.type.empty());
  }

  /// Null where the actor takes other messages, whatever name they have.
  [[nodiscard]] static actor_ref<T> ref_of(const row& one) {
    using namespace actor_kernel;
    const auto& system = one.origin->in->system();
    if (!one.origin->is_own) return muster::message::remote_ref_of<T>(system, one.origin->in->address_of(one));
    if (const endpoint_ptr found = system->find(one.path.view(), actor_incarnation{one.incarnation})) {
      const auto way_in = acceptor_of<T>(*found);
      return way_in ? refs::typed<T>(found, way_in) : actor_ref<T>{};
    }
    return refs::typed<T>(endpoint_ptr{new departed<T>{system, one.origin->in->address_of(one)}},
                          &departed<T>::template accept<T>);
  }

  std::vector<actor_ref<T>> all_;
  std::vector<actor_ref<T>> reachable_;  ///< where it differs from `all_`
  bool all_reachable_{true};
};

}  // namespace muster::receptionist

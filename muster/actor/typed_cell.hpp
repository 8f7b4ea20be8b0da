#pragma once

// Included by actor.hpp, whose declarations it completes.

#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "muster/actor/actor.hpp"
#include "muster/actor/ask.hpp"
#include "muster/actor/cell.hpp"
#include "muster/actor/conflated_ref.hpp"
#include "muster/actor/spawning.hpp"

namespace muster::actor_kernel {

/// The type that a log should name: of a variant what it holds.
template <typename M>
[[nodiscard]] const message_type& type_in(const M& message) noexcept {
  if constexpr (is_variant<M>) {
    if (message.valueless_by_exception()) return type_of<M>;
    return std::visit([]<typename A>(const A&) -> const message_type& { return type_of<A>; }, message);
  } else {
    return type_of<M>;
  }
}

template <typename M>
class typed_cell;

/// A message that is handed over by a move.
template <typename M>
class message_envelope final : public envelope {
 public:
  explicit message_envelope(M&& message) : message_{std::move(message)} {}

  void deliver(cell& to) override;
  [[nodiscard]] const message_type* type() const noexcept override { return &type_in(message_); }

 private:
  M message_;
};

/// A message that is handed over again and again.
template <typename M>
class repeated_envelope final : public envelope {
 public:
  explicit repeated_envelope(M message) : message_{std::move(message)} {}
  void deliver(cell& to) override;
  [[nodiscard]] const message_type* type() const noexcept override { return &type_in(message_); }

 private:
  const M message_;
};

/// Fetches the message from a slot where it may have been replaced until then.
template <typename M, typename A>
class fetch_envelope final : public envelope {
 public:
  explicit fetch_envelope(fetch<A>&& duty) noexcept : duty_{std::move(duty)} {}
  void deliver(cell& to) override;
  [[nodiscard]] const message_type* type() const noexcept override { return &type_of<A>; }

 private:
  fetch<A> duty_;
};

/// A function to be called on the turn of the instance that is there now, or never.
template <typename Function>
class call_envelope final : public envelope {
 public:
  call_envelope(std::uint64_t generation, Function function)
      : generation_{generation}, function_{std::move(function)} {}
  void deliver(cell& to) override {
    if (to.is_running() && to.generation() == generation_) function_();
  }

 private:
  const std::uint64_t generation_;
  Function function_;
};

/// The cell of an actor that takes messages of type M.
template <typename M>
class typed_cell final : public cell {
 public:
  typed_cell(birth of, std::unique_ptr<instance_source<M>> source)
      : cell{std::move(of)}, source_{std::move(source)}, context_{*this} {}

  template <typename A>
  static told accept(endpoint& to, A&& message, if_not otherwise) {
    auto& self = static_cast<typed_cell&>(to);
    if constexpr (std::is_same_v<A, M>) {
      return self.template post<message_envelope<M>>(type_of<A>, otherwise, std::forward<A>(message));
    } else {
      return self.template post<message_envelope<M>>(type_of<A>, otherwise, widened<M>(std::forward<A>(message)));
    }
  }
  template <typename A>
  static told accept_fetch(endpoint& to, fetch<A>&& duty, if_not otherwise) {
    return static_cast<typed_cell&>(to).template post<fetch_envelope<M, A>>(type_of<A>, otherwise, std::move(duty));
  }

  [[nodiscard]] erased_acceptor find_acceptor(const message_type& wanted) const noexcept override {
    if (const auto found = acceptor_among<M, typed_cell>(wanted)) return found;
    if (&wanted == &type_of<fetch<M>>) return reinterpret_cast<erased_acceptor>(&typed_cell::template accept_fetch<M>);
    if constexpr (is_variant<M>) {
      return find_fetch(wanted, static_cast<const M*>(nullptr));
    }
    return nullptr;
  }

  /// On the turn, while there is an instance.
  void receive(M&& message) { instance_->receive(context_, std::move(message)); }

  using cell::publish_unhandled;

 private:
  template <typename... As>
  [[nodiscard]] static erased_acceptor find_fetch(const message_type& wanted, const std::variant<As...>*) noexcept {
    erased_acceptor found = nullptr;
    (void)((&wanted == &type_of<fetch<As>> &&
            (found = reinterpret_cast<erased_acceptor>(&typed_cell::template accept_fetch<As>), true)) ||
           ...);
    return found;
  }

  void make_instance() override {
    instance_ = source_->make();
    instance_->on_start(context_);
  }
  void call_on_stop() override { instance_->on_stop(context_); }
  void call_on_terminated(terminated what) override { instance_->on_terminated(context_, what); }
  void drop_instance() noexcept override { instance_.reset(); }
  void drop_source() noexcept override { source_.reset(); }
  [[nodiscard]] bool has_instance() const noexcept override { return instance_ != nullptr; }

  std::unique_ptr<instance_source<M>> source_;
  actor_context<M> context_;
  std::unique_ptr<actor<M>> instance_;
};

template <typename M>
void message_envelope<M>::deliver(cell& to) {
  static_cast<typed_cell<M>&>(to).receive(std::move(message_));
}

template <typename M>
void repeated_envelope<M>::deliver(cell& to) {
  static_cast<typed_cell<M>&>(to).receive(M{message_});
}

template <typename M, typename A>
void fetch_envelope<M, A>::deliver(cell& to) {
  if (const auto newest = duty_.take()) static_cast<typed_cell<M>&>(to).receive(widened<M>(std::move(*newest)));
}

/// The path, the incarnation and all else of a new actor, with its options checked.
[[nodiscard]] result<cell::birth> prepare(const place& where, const spawn_options& how, std::string_view actor_type,
                                          bool can_restart);
/// Enters the new actor into the directory and lets it begin.
[[nodiscard]] result<void> enroll(const boost::intrusive_ptr<cell>& made, cell* parent);

template <typename M>
result<actor_ref<M>> spawn_at(const place& where, const spawn_options& how, std::string_view actor_type,
                              std::unique_ptr<instance_source<M>> source) {
  auto birth = prepare(where, how, actor_type, source->repeats());
  if (!birth) return fail(std::move(birth).error());
  const boost::intrusive_ptr<typed_cell<M>> made{new typed_cell<M>{*std::move(birth), std::move(source)}};
  if (const auto enrolled = enroll(made, where.parent.get()); !enrolled) return fail(enrolled.error());
  return refs::typed<M>(made, &typed_cell<M>::template accept<M>);
}

/// Instances of the class A, each made of the same arguments.
template <typename A, typename... Args>
class instances_of final : public instance_source<typename A::message_type> {
 public:
  template <typename... Given>
  explicit instances_of(std::in_place_t, Given&&... args) : arguments_{std::forward<Given>(args)...} {}

  [[nodiscard]] std::unique_ptr<actor<typename A::message_type>> make() override {
    if constexpr (copies) {
      return std::apply([](const Args&... args) { return std::make_unique<A>(Args(args)...); }, arguments_);
    } else {
      return std::apply([](Args&... args) { return std::make_unique<A>(std::move(args)...); }, arguments_);
    }
  }
  [[nodiscard]] bool repeats() const noexcept override { return copies; }

 private:
  static constexpr bool copies = (std::is_copy_constructible_v<Args> && ...);
  std::tuple<Args...> arguments_;
};

/// An actor that is one function.
template <typename M, typename Function>
class function_actor final : public actor<M> {
 public:
  explicit function_actor(Function function) : function_{std::move(function)} {}
  void receive(actor_context<M>& self, M message) override {
    if constexpr (std::is_invocable_v<Function&, actor_context<M>&, M>) {
      std::invoke(function_, self, std::move(message));
    } else {
      static_assert(std::is_invocable_v<Function&, M>, "the function of an actor takes (self, message) or (message)");
      std::invoke(function_, std::move(message));
    }
  }

 private:
  Function function_;
};

template <typename Where>
template <typename T, typename... Args>
auto spawning<Where>::start(const place& where, const spawn_options& how, Args&&... args) {
  if constexpr (actor_class<T>) {
    return spawn_at<typename T::message_type>(
        where, how, compiler_name<T>(),
        std::make_unique<instances_of<T, std::decay_t<Args>...>>(std::in_place, std::forward<Args>(args)...));
  } else {
    static_assert(sizeof...(Args) == 1,
                  "spawn<an actor's class>(name, its arguments) or spawn<message>(name, function)");
    using made = instances_of<function_actor<T, std::decay_t<Args>...>, std::decay_t<Args>...>;
    return spawn_at<T>(where, how, type_of<T>.in_log,
                       std::make_unique<made>(std::in_place, std::forward<Args>(args)...));
  }
}

}  // namespace muster::actor_kernel

namespace muster {

template <typename M>
void actor<M>::on_terminated(context& self, const terminated& what) {
  if constexpr (actor_kernel::takes<M, terminated>) {
    receive(self, actor_kernel::widened<M>(terminated{what}));
  } else {
    self.template unhandled<terminated>();
  }
}

template <typename M>
actor_ref<M> actor_context<M>::self() const {
  return actor_kernel::refs::typed<M>(actor_kernel::endpoint_ptr{&cell_},
                                      &actor_kernel::typed_cell<M>::template accept<M>);
}

template <typename M>
const std::string& actor_context<M>::path() const noexcept {
  return cell_.path();
}

template <typename M>
instant actor_context<M>::now() const {
  return cell_.now();
}

template <typename M>
bool actor_context<M>::is_at_teller() const noexcept {
  return cell_.is_at_teller();
}

template <typename M>
void actor_context<M>::write(const event& what) const {
  cell_.write(what);
}

template <typename M>
void actor_context<M>::stop() {
  cell_.stop_self();
}

template <typename M>
void actor_context<M>::stop(const any_ref& whom, stop_when when) const {
  if (whom) actor_kernel::refs::target(whom)->handle_stop(when);
}

template <typename M>
void actor_context<M>::watch(const any_ref& whom) {
  cell_.watch(whom, nullptr);
}

template <typename M>
void actor_context<M>::watch(const any_ref& whom, M news) {
  cell_.watch(whom, std::make_unique<actor_kernel::message_envelope<M>>(std::move(news)));
}

template <typename M>
void actor_context<M>::unwatch(const any_ref& whom) {
  cell_.unwatch(whom);
}

template <typename M>
timer_id actor_context<M>::after(duration delay, M message) {
  return cell_.set_timer(delay, duration{0}, std::make_unique<actor_kernel::message_envelope<M>>(std::move(message)));
}

template <typename M>
timer_id actor_context<M>::every(duration period, M message) requires std::copy_constructible<M> {
  MUSTER_INVARIANT(period > duration{0}, "a timer that repeats has a period");
  return cell_.set_timer(period, period, std::make_unique<actor_kernel::repeated_envelope<M>>(std::move(message)));
}

template <typename M>
bool actor_context<M>::cancel(timer_id which) {
  return cell_.cancel_timer(which);
}

template <typename M>
template <typename Reply, typename Request, typename MakeRequest, typename OnReply>
void actor_context<M>::ask(const actor_ref<Request>& whom, MakeRequest&& make_request, duration timeout,
                           OnReply&& on_reply) {
  actor_kernel::ask<Reply>(
      cell_.shared_core(), whom, std::forward<MakeRequest>(make_request), timeout,
      [asker = boost::intrusive_ptr<actor_kernel::cell>{&cell_}, generation = cell_.generation(),
       on_reply = std::decay_t<OnReply>(std::forward<OnReply>(on_reply))](result<Reply> answer) mutable {
        auto call = [on_reply = std::move(on_reply), answer = std::move(answer)]() mutable {
          std::invoke(on_reply, std::move(answer));
        };
        asker->signal(std::make_unique<actor_kernel::call_envelope<decltype(call)>>(generation, std::move(call)));
      });
}

template <typename M>
template <typename T>
void actor_context<M>::unhandled() const {
  cell_.publish_unhandled(actor_kernel::type_of<T>);
}

template <typename M>
actor_kernel::place actor_context<M>::here() const {
  return {.core = cell_.shared_core(), .parent = &cell_, .at = actor_kernel::cell::level::child};
}

}  // namespace muster

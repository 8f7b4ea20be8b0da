#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/cell.hpp"
#include "muster/actor/spawn_options.hpp"
#include "muster/base/result.hpp"

namespace muster {

template <typename M>
class actor;
template <typename M>
class actor_context;

namespace actor_kernel {

/// Where a new actor is to live.
struct place {
  std::shared_ptr<system_core> core;
  boost::intrusive_ptr<cell> parent{};  ///< set for a child only
  cell::level at{cell::level::user};
};

/// Makes instances of an actor, one after the other.
template <typename M>
class instance_source {
 public:
  instance_source() = default;
  instance_source(const instance_source&) = delete;
  instance_source& operator=(const instance_source&) = delete;
  virtual ~instance_source() = default;
  [[nodiscard]] virtual std::unique_ptr<actor<M>> make() = 0;
  /// False where the first instance uses up what the constructor is given.
  [[nodiscard]] virtual bool repeats() const noexcept = 0;
};

/// Puts a new actor in its place and lets it begin. `invalid_argument` for a name or options that cannot be,
/// `already_exists` for a name that a living brother has, `unavailable` when the system or the parent is stopping.
template <typename M>
[[nodiscard]] result<actor_ref<M>> spawn_at(const place& where, const spawn_options& how, std::string_view actor_type,
                                            std::unique_ptr<instance_source<M>> source);

/// How actors are started: at the top of a system, or as children of an actor.
///
/// - `spawn<api_actor>("api", args...)`: an instance is made of copies of the arguments, on the new actor's first turn
///   and again at each restart.
/// - `spawn<message>("name", function)`: `function(self, message)` or `function(message)` handles the messages; a
/// restart
///   begins with the function as it was given.
/// - `try_spawn` gives an error where `spawn` throws `refused`. In place of the name stand `spawn_options`.
template <typename Where>
class spawning {
 public:
  template <typename T, typename... Args>
  auto spawn(const spawn_options& how, Args&&... args) {
    return value_of(try_spawn<T>(how, std::forward<Args>(args)...));
  }
  template <typename T, typename... Args>
  auto spawn(std::string_view name, Args&&... args) {
    return spawn<T>(spawn_options{.name = std::string{name}}, std::forward<Args>(args)...);
  }
  template <typename T, typename... Args>
  [[nodiscard]] auto try_spawn(const spawn_options& how, Args&&... args) {
    return start<T>(static_cast<const Where&>(*this).here(), how, std::forward<Args>(args)...);
  }
  template <typename T, typename... Args>
  [[nodiscard]] auto try_spawn(std::string_view name, Args&&... args) {
    return try_spawn<T>(spawn_options{.name = std::string{name}}, std::forward<Args>(args)...);
  }

 protected:
  spawning() = default;
  ~spawning() = default;

  template <typename T, typename... Args>
  [[nodiscard]] static auto start(const place& where, const spawn_options& how, Args&&... args);

  template <typename M>
  static actor_ref<M> value_of(result<actor_ref<M>> made) {
    if (!made) throw refused{std::move(made).error()};
    return *std::move(made);
  }
};

}  // namespace actor_kernel
}  // namespace muster

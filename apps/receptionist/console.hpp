#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/receptionist/console_command.hpp"
#include "apps/receptionist/console_event.hpp"
#include "apps/receptionist/echo.hpp"
#include "muster/actor/actor_system.hpp"
#include "muster/cluster/node.hpp"
#include "muster/cluster/node_core.hpp"
#include "muster/gossip/shared_text.hpp"
#include "muster/receptionist/receptionist.hpp"

namespace muster::apps {

/// A line of the input.
struct console_line {
  std::size_t number{0};
  std::string text;
  bool is_too_long{false};
  std::shared_ptr<const void> held;  ///< let go of when the command has been carried out
};
/// Leave and end: the input has ended, or a signal came.
struct end_console {};
/// Nobody reads the output any more: likewise, with a failure.
struct output_broken {
  std::string why;
};
/// The node has left.
struct node_left {};
/// Says what could not be shown, once there is room again.
struct show_lost {};

struct stats_taken {
  cluster::node_counters cluster;
  std::size_t members{0};
  std::size_t registrations_known{0};
};

struct keys_taken {
  struct key {
    gossip::shared_text id;
    std::size_t registrations{0};
  };
  std::size_t line{0};
  std::vector<key> keys;
};

using console_message =
    std::variant<console_line, end_console, output_broken, node_left, show_lost, stats_taken, keys_taken, echo_received,
                 listing_heard, rejection_heard, echo_answer, any_listing, any_subscribe_rejected,
                 receptionist::registered, receptionist::register_refused, receptionist::deregistered, terminated,
                 cluster::member_news, dead_letter>;

/// How the process ends.
struct console_end {
  bool is_failure{false};
  std::string why;  ///< a sentence, where it failed
};

struct console_options {
  actor_system& system;
  receptionist::handle desk;
  std::shared_ptr<cluster::node> node;
  std::shared_ptr<event_sink> out;
  /// Once; on a turn of the console.
  std::function<void(console_end)> on_end;
};

/// The actor that carries out the commands of one node and shows what happens there: everything that is shown passes
/// through it, so lines are in the order of their times. It makes the echo actors that commands name, and subscribes
/// and watches in their user's name.
class console final : public actor<console_message> {
 public:
  explicit console(std::shared_ptr<const console_options> how) : how_{std::move(how)} {}

  void on_start(context& self) override;
  void receive(context& self, console_message message) override;

 private:
  struct echo_state {
    actor_ref<echo_actor::message_type> ref;
    enum class life : std::uint8_t { running, stopping, stopped } now{life::running};
    /// Registrations that are not answered yet; and one has been made. Without either it has no purpose.
    std::size_t asked{0};
    bool has_been_registered{false};
    /// Of this name, to be carried out when the one that is stopping has done so.
    std::vector<std::pair<std::size_t, register_actor>> waiting;
  };

  // What others tell.
  void handle(console_line line);
  void handle(const end_console&);
  void handle(const output_broken& what);
  void handle(const node_left&);
  void handle(const show_lost&);
  void handle(const stats_taken& what);
  void handle(keys_taken what);
  void handle(const echo_received& what);
  void handle(const echo_answer& what);
  void handle(const listing_heard& what);
  void handle(const rejection_heard& what);
  void handle(const any_listing& what);
  void handle(const any_subscribe_rejected& what);
  void handle(const receptionist::registered& what);
  void handle(const receptionist::register_refused& what);
  void handle(const receptionist::deregistered& what);
  void handle(const terminated& what);
  void handle(const cluster::member_news& what);
  void handle(const dead_letter& what);

  // Commands; `line` is the number of theirs.
  void run(std::size_t line, const register_actor& what);
  void run(std::size_t line, const deregister_actor& what);
  void run(std::size_t line, const stop_actor& what);
  void run(std::size_t line, const find_key& what);
  void run(std::size_t line, const subscribe_key& what);
  void run(std::size_t line, const unsubscribe_key& what);
  void run(std::size_t line, const send_text& what);
  void run(std::size_t line, const watch_key& what);
  void run(std::size_t line, const show_keys& what);
  void run(std::size_t line, const show_members&);
  void run(std::size_t line, const show_stats&);
  void run(std::size_t line, const leave_cluster&);
  void run(std::size_t line, const quit_console&);
  void run(std::size_t line, const show_commands&);

  /// What the receptionist says after all that it was told before.
  using found_listing = std::function<void(const any_listing&)>;
  void find(std::size_t line, const std::string& key, found_listing then);
  /// The actor of that name; null, and an error is shown, if none runs here.
  echo_state* find_running(std::size_t line, std::string_view command, const std::string& name);
  /// The console itself where no name is given; null, and an error is shown, if no such actor runs here.
  actor_ref<any_listing> find_subscriber(std::size_t line, std::string_view command,
                                         const std::optional<std::string>& name);
  /// Null if it is none of those made here that are known now.
  [[nodiscard]] echo_state* echo_of(const any_ref& ref);

  void show(const console_event& what);
  void show_error(std::size_t line, std::string_view sentence);
  /// `head` stands between the key and the refs.
  void show_listing(const any_listing& what, const boost::json::object& head);
  void show_rejection(const any_subscribe_rejected& what, const any_ref* subscriber);
  void show_member(std::string_view status, const actor_node& node, std::string_view address);
  void show_left(std::string_view why);
  void show_lost_count();
  [[nodiscard]] bool spawn(const std::string& name, echo_state& into, std::size_t line);
  void stop(echo_state& which);
  void begin_end(console_end how);
  void finish();

  const std::shared_ptr<const console_options> how_;
  context* self_{nullptr};                                 ///< the same in all turns
  std::map<std::string, echo_state, std::less<>> echoes_;  ///< by name; those that have stopped, too
  cluster::phase phase_{cluster::phase::joining};
  actor_node self_node_;
  bool has_members_{false};  ///< the first news have come
  bool is_leaving_{false};
  bool has_left_{false};  ///< and it was shown
  bool is_ending_{false};
  bool has_ended_{false};
  console_end end_;
  std::uint64_t lost_{0};  ///< events that found no room
};

}  // namespace muster::apps

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "muster/actor/actor.hpp"
#include "muster/message/sendable.hpp"

namespace muster::apps {

/// What an echo actor answers.
struct echo_answer {
  static constexpr std::string_view message_name = "muster.echo_answer";
  std::string text;
  // The one that answers.
  std::string node;
  std::uint64_t node_incarnation{0};
  std::string path;
  std::uint64_t incarnation{0};
};

/// What is sent to the actors of the command line.
struct echo_message {
  static constexpr std::string_view message_name = "muster.echo";
  std::string text;
  std::string from_node;
  actor_ref<echo_answer> reply_to;
};

/// Tells whoever made an echo actor what that has received.
struct echo_received {
  any_ref by;
  echo_message what;
};

/// The built-in type of the actors of the command line: shows what it is told, and sends it back.
class echo_actor final : public actor<echo_message> {
 public:
  explicit echo_actor(actor_ref<echo_received> shows) : shows_{std::move(shows)} {}

  void receive(context& self, echo_message message) override {
    const auto own = self.self().address();
    message.reply_to.tell(
        echo_answer{message.text, own.node.name, own.node.incarnation.value(), own.path, own.incarnation.value()});
    shows_.tell(echo_received{self.self(), std::move(message)});
  }

 private:
  const actor_ref<echo_received> shows_;
};

}  // namespace muster::apps

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "muster/actor/actor.hpp"
#include "muster/actor/conflated_ref.hpp"
#include "muster/message/sendable.hpp"
#include "muster/receptionist/messages.hpp"

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
/// Likewise, what it has heard of a key that it subscribes to.
struct listing_heard {
  any_ref by;
  any_listing what;
};
struct rejection_heard {
  any_ref by;
  any_subscribe_rejected what;
};
using echo_news = std::variant<echo_received, listing_heard, rejection_heard>;

/// The built-in type of the actors of the command line: shows what it is told, and sends texts back.
class echo_actor final : public actor<std::variant<echo_message, any_listing, any_subscribe_rejected>> {
 public:
  explicit echo_actor(actor_ref<echo_news> shows) : shows_{std::move(shows)} {}

  void receive(context& self, message_type message) override {
    std::visit([&](auto& one) { handle(self, one); }, message);
  }

 private:
  void handle(context& self, echo_message& message) {
    const auto own = self.self().address();
    message.reply_to.tell(
        echo_answer{message.text, own.node.name, own.node.incarnation.value(), own.path, own.incarnation.value()});
    shows_.tell(echo_received{self.self(), std::move(message)});
  }
  void handle(context& self, any_listing& message) {
    // Of a key that changes more often than it can be shown, the newest listing is.
    const auto way = ways_.try_emplace(message.key, shows_).first;
    way->second.tell({self.self(), std::move(message)});
  }
  void handle(context& self, any_subscribe_rejected& message) {
    shows_.tell(rejection_heard{self.self(), std::move(message)});
  }

  const actor_ref<echo_news> shows_;
  std::map<any_key, conflated_ref<listing_heard>> ways_;
};

}  // namespace muster::apps

#include "muster/registry/replica_trace.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace muster::registry {
namespace {

event line_of(std::string_view what, traffic way, replication::peer_id peer) {
  return event{severity::info, way == traffic::sent ? "replica_message_sent" : "replica_message_received"}
      .with("what", what)
      .with("peer", peer);
}

}  // namespace

std::optional<event> trace_of(const replication::message& what, traffic way, replication::peer_id peer, int level) {
  if (level < 2) return std::nullopt;
  return std::visit(
      [&]<typename Message>(const Message& one) -> std::optional<event> {
        if constexpr (std::is_same_v<Message, replication::open>) {
          return line_of("asks for a session", way, peer).with("replica", one.from.name).with("attempt", one.attempt);
        } else if constexpr (std::is_same_v<Message, replication::opened>) {
          return line_of("gives a session", way, peer).with("replica", one.from.name).with("attempt", one.attempt);
        } else if constexpr (std::is_same_v<Message, replication::refused>) {
          return line_of("refuses a session", way, peer)
              .with("replica", one.from.name)
              .with("attempt", one.attempt)
              .with("reason", to_string(one.reason));
        } else if constexpr (std::is_same_v<Message, replication::closed>) {
          return line_of("ends the session", way, peer).with("reason", to_string(one.reason));
        } else if constexpr (std::is_same_v<Message, replication::append>) {
          if (level < 3 || !one.entries.empty()) return std::nullopt;
          return line_of("keeps the session alive", way, peer).with("acknowledged", one.acknowledged);
        } else if constexpr (std::is_same_v<Message, replication::appended>) {
          if (level < 3) return std::nullopt;
          return line_of("acknowledges", way, peer).with("last", one.last);
        } else {
          return std::nullopt;
        }
      },
      what);
}

}  // namespace muster::registry

#include <fmt/format.h>

#include "sim/replicas/node.hpp"

namespace muster::sim::replicas {

namespace {

using namespace replication;

std::string position(const history& held) {
  return fmt::format("term {} last {} acknowledged {}", held.terms.current().number, held.last, held.acknowledged);
}

std::string who(const self_description& one) {
  return fmt::format("{} {} {} {}", one.name, to_string(one.role), to_string(one.phase), position(one.history));
}

struct briefly {
  std::string operator()(const describe& m) const { return fmt::format("describe {} {}", m.round, who(m.from)); }
  std::string operator()(const description& m) const { return fmt::format("description {} {}", m.round, who(m.from)); }
  std::string operator()(const open& m) const {
    return fmt::format("open {}{}{} {}", m.attempt, m.purpose == open_purpose::copy ? " copy" : "",
                       m.wants_snapshot ? " wants_snapshot" : "", who(m.from));
  }
  std::string operator()(const refused& m) const {
    return fmt::format("refused {} {}: {}", m.attempt, to_string(m.reason), m.sentence);
  }
  std::string operator()(const opened& m) const {
    return fmt::format("opened {} session {:x} by {} {}", m.attempt, m.session,
                       m.plan == catch_up_plan::log ? "log" : "snapshot", who(m.from));
  }
  std::string operator()(const append& m) const {
    return fmt::format("append {:x} {}+{} acknowledged {}{} roster {}", m.session, m.previous, m.entries.size(),
                       m.acknowledged, m.active ? " active" : "", m.roster_version);
  }
  std::string operator()(const appended& m) const { return fmt::format("appended {:x} {}", m.session, m.last); }
  std::string operator()(const snapshot_chunk& m) const {
    return fmt::format("chunk {:x} {} of {} B{} {}", m.session, m.index, m.content.size_bytes(),
                       m.is_last ? " last" : "", position(m.history));
  }
  std::string operator()(const snapshot_received& m) const {
    return fmt::format("received {:x} {}", m.session, m.next_index);
  }
  std::string operator()(const closed& m) const {
    return fmt::format("closed {:x} {}: {}", m.session, to_string(m.reason), m.sentence);
  }
};

}  // namespace

std::string brief(const message& what) { return std::visit(briefly{}, what); }

}  // namespace muster::sim::replicas

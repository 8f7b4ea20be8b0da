#include "muster/replication/judgement.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace muster::replication {

namespace {

/// A master that takes changes, is about to, or did until it met another one.
bool is_live_master(const self_description& who) {
  return who.role == role::master && who.phase != phase::start_refused && who.phase != phase::failed &&
         who.phase != phase::copying;
}

std::string split_brain_sentence(const self_description& left, const self_description& right) {
  return fmt::format(
      "'{}' has term {} and '{}' has term {}: two replicas were promoted apart from each other. Decide which master is "
      "to stay and stop the other; restart the one that stays with --force, which begins a term above both, and "
      "then the other as a slave (its unacknowledged changes are saved to a file)",
      left.name, left.history.terms.current(), right.name, right.history.terms.current());
}

/// Why `self` must not become master in view of `other`; empty if it may.
std::string objection(const self_description& self, const self_description& other) {
  if (!self.history.has_copy()) {
    if (!other.history.has_copy() && !is_live_master(other)) {
      return {};
    }
    return fmt::format(
        "this replica has no database, but {} '{}' has {}. To take over its data start once with "
        "--initdb-from-replica {}; to begin an empty database beside it, --force",
        to_string(other.role), other.name,
        other.history.has_copy() ? fmt::format("one with {} changes", other.history.last) : std::string{"begun one"},
        other.name);
  }
  if (other.history.has_copy() && other.history.database != self.history.database) {
    if (!is_live_master(other)) {
      return {};  // A slave of another database will be refused; it must not keep its master from starting.
    }
    return fmt::format(
        "'{}' is a master under the same locator, but of database {}; this replica holds database {}. Correct "
        "Ice.Default.Locator or IceGrid.InstanceName of one of them, or start with --force",
        other.name, other.history.database, self.history.database);
  }
  if (!other.history.has_copy()) {
    return {};
  }

  const term own = self.history.terms.current();
  const term theirs = other.history.terms.current();
  if (theirs.number > own.number) {
    return fmt::format(
        "{} '{}' has term {}, this replica only term {}: another master has taken over since. Start this replica as a "
        "slave, or with --force to become master in a term above it",
        to_string(other.role), other.name, theirs, own);
  }
  if (is_live_master(other)) {
    if (theirs.number == own.number && theirs.id != own.id) {
      return split_brain_sentence(self, other);
    }
    if (theirs == own) {
      return fmt::format("'{}' is running as the master of term {}. Stop it first, or start with --force to replace it",
                         other.name, theirs);
    }
  }
  const serial fork = fork_point(self.history, other.history);
  if (other.history.acknowledged > fork) {
    return fmt::format(
        "{} '{}' holds acknowledged changes up to {}; this replica has them only up to {}. Start '{}' as the master, "
        "or this one with --force, which gives up the rest",
        to_string(other.role), other.name, other.history.acknowledged, fork, other.name);
  }
  if (fork == self.history.last && other.history.last > fork) {
    return fmt::format(
        "{} '{}' holds changes up to {}, some of which may be acknowledged; this replica ends at {}. Start '{}' as the "
        "master, or this one with --force, which gives up the rest",
        to_string(other.role), other.name, other.history.last, fork, other.name);
  }
  return {};
}

}  // namespace

std::string no_common_version_sentence(const self_description& left, const self_description& right) {
  const bool left_is_older = left.versions.max < right.versions.max;
  return fmt::format(
      "'{}' speaks versions {} to {} of the replication protocol and '{}' versions {} to {}: there is none in common. "
      "Upgrade '{}'",
      left.name, left.versions.min, left.versions.max, right.name, right.versions.min, right.versions.max,
      left_is_older ? left.name : right.name);
}

std::string duplicate_name_sentence(std::string_view name) {
  return fmt::format(
      "another replica named '{}' is alive. Stop it, or give one of the two another IceGrid.Registry.ReplicaName",
      name);
}

follow_verdict judge_following(const self_description& slave, const self_description& master) {
  follow_verdict out;
  if (!slave.history.has_copy()) {
    return out;
  }
  if (slave.history.database != master.history.database) {
    out.refused = refusal::other_database;
    out.sentence = fmt::format(
        "slave '{}' holds database {} and master '{}' holds database {}: neither is a copy of the other. Correct the "
        "slave's Ice.Default.Locator, or start it once with --initdb-from-replica {} to replace its data",
        slave.name, slave.history.database, master.name, master.history.database, master.name);
    return out;
  }
  const term known = slave.history.terms.current();
  const term offered = master.history.terms.current();
  if (offered.number < known.number) {
    out.refused = refusal::lower_term;
    out.sentence = fmt::format(
        "master '{}' has term {}, but slave '{}' knows term {}: another master has taken over since. Restart '{}' as a "
        "slave",
        master.name, offered, slave.name, known, master.name);
    return out;
  }
  if (offered.number == known.number && offered.id != known.id) {
    out.refused = refusal::split_brain;
    out.sentence = fmt::format(
        "master '{}' has term {} and slave '{}' knows term {}: two replicas were promoted apart from each other. If "
        "the "
        "master's changes are to stay, start '{}' once with --initdb-from-replica {} (what it drops is saved to a "
        "file), "
        "or restart '{}' with --force, which begins a term above both; if the others are, start a replica that has "
        "them with --force",
        master.name, offered, slave.name, known, slave.name, master.name, master.name);
    return out;
  }
  out.fork = fork_point(slave.history, master.history);
  out.has_tail = slave.history.last > out.fork;
  // What it committed alone is the operator's to give up, by promoting another; what others held, too, is not.
  if (slave.history.replicated > out.fork) {
    out.refused = refusal::lost_acknowledged;
    out.sentence = fmt::format(
        "the histories of slave '{}' and master '{}' part after change {}, but changes up to {} were acknowledged and "
        "'{}' does not have them. If they are to live, start '{}' as the master; to give them up, start it once with "
        "--initdb-from-replica {}",
        slave.name, master.name, out.fork, slave.history.replicated, master.name, slave.name, master.name);
  }
  return out;
}

start_verdict judge_start(const self_description& self, std::optional<role> last_role,
                          const std::vector<self_description>& others, bool force) {
  start_verdict out;
  if (self.history.has_copy()) {
    out.kind = last_role == role::master ? start_kind::restart : start_kind::promotion;
  }
  std::uint64_t highest = self.history.terms.current().number;
  for (const auto& other : others) {
    if (other.name == self.name) {
      // Every master has the same name, so a master that was replaced meets its successor here: the reason that says
      // what has happened since comes first. Not even --force makes two of one name.
      std::string why = force ? std::string{} : objection(self, other);
      out.refused = why.empty() ? duplicate_name_sentence(self.name) : std::move(why);
      return out;
    }
    if (!self.history.has_copy() || other.history.database == self.history.database) {
      highest = std::max(highest, other.history.terms.current().number);
    }
    std::string why = objection(self, other);
    if (why.empty()) {
      continue;
    }
    if (!force) {
      out.refused = std::move(why);
      return out;
    }
    if (!out.overridden) {
      out.overridden = std::move(why);
    }
  }
  if (out.kind == start_kind::fresh) {
    out.new_term_number = 1;
  } else if (out.kind == start_kind::promotion || force) {
    out.new_term_number = highest + 1;
  }
  return out;
}

std::optional<std::string> judge_running(const self_description& self, const self_description& other) {
  if (!other.history.has_copy() || other.history.database != self.history.database ||
      other.incarnation == self.incarnation) {
    return std::nullopt;
  }
  const term own = self.history.terms.current();
  const term theirs = other.history.terms.current();
  if (theirs.number > own.number) {
    return fmt::format(
        "{} '{}' has term {}, this master only term {}: another master has taken over. This replica takes no more "
        "changes; restart it as a slave",
        to_string(other.role), other.name, theirs, own);
  }
  const bool reigns =
      other.role == role::master && (other.phase == phase::serving || other.phase == phase::stepped_down);
  if (reigns && theirs.number == own.number) {
    if (theirs.id != own.id) {
      return split_brain_sentence(self, other);
    }
    return fmt::format(
        "'{}' is also master of term {}: one database was started twice. Neither takes changes now; stop one, and "
        "restart the one that stays with --force",
        other.name, theirs);
  }
  return std::nullopt;
}

}  // namespace muster::replication

#include <algorithm>
#include <limits>
#include <utility>

#include "muster/membership/core.hpp"

namespace muster::membership {

namespace {

/// Of two that want the same name or address the later one has it; every process decides the same.
bool is_later(incarnation left, std::string_view left_name, const member& right) {
  return left != right.incarnation ? left > right.incarnation : left_name > right.name;
}

}  // namespace

void participant::core::hear(const claim& what, heard how) {
  if (what.name == self_->name && what.incarnation == self_->incarnation) {
    hear_of_self(what, how);
    return;
  }
  if (gone_.find(what.name, what.incarnation) != nullptr) {
    return;
  }
  if (is_final(what.standing)) {
    hear_final(what, how);
  } else if (const slot which = table_.find(what.name, what.incarnation); which != none) {
    hear_of_member(which, what, how);
  } else {
    hear_of_unknown(what, how);
  }
}

void participant::core::hear_of_self(const claim& what, heard how) {
  const std::uint32_t counter = table_.at(member_table::self).counter;
  if (is_final(what.standing)) {
    if (phase_ != phase::leaving) {
      come_back(self_->incarnation, {}, "others have removed this process although it was alive");
    }
    return;
  }
  if (phase_ == phase::leaving) {
    return;
  }
  if (what.standing == standing::alive) {
    if (what.counter > counter) {
      // Nobody else may raise it; whatever made this claim, ours must not stay below.
      table_.set(member_table::self, standing::alive, what.counter);
    }
    return;
  }
  accused_ = true;
  if (what.counter >= counter) {
    if (how == heard::news && what.accuser.value() != 0) {
      awareness_.worse();  // whoever has to refute was too slow (Lifeguard, section IV-A)
    }
    refute(what.counter);
  }
}

void participant::core::refute(std::uint32_t counter) {
  if (counter == std::numeric_limits<std::uint32_t>::max()) {
    come_back(self_->incarnation, {}, "the refutation counter of this process is used up");
    return;
  }
  ++counters_.refutations;
  table_.set(member_table::self, standing::alive, counter + 1);
  tell_of(member_table::self);
}

void participant::core::hear_final(const claim& what, heard how) {
  if (const slot which = table_.find(what.name, what.incarnation); which != none) {
    // A table may come from the other side of a long split, which has removed this one. Who answers here is not
    // removed by that: if its removal holds, those who removed it will tell it so themselves.
    if (how == heard::news || what.standing == standing::left || table_.at(which).standing == standing::unreachable) {
      remove(which, what.standing);
    }
    return;
  }
  // Of somebody unknown: remembered, so that older news does not bring it to life here. What comes by a table is
  // remembered no longer than there, else two tables would keep each other's memory alive for ever.
  const duration told = std::chrono::seconds{what.remembered_s};
  const auto who = make_member(what.name, what.incarnation, {}, {});
  const bool has_room = gone_.size() < how_.removed_max;
  gone_.add(who, what.standing,
            now_ + (how == heard::news ? how_.removed_horizon : std::min(how_.removed_horizon, told)));
  if (how == heard::news && has_room) {  // without room it could be forgotten and told in turns, for ever
    tell_departed(who, what.standing);
  }
}

void participant::core::hear_of_member(slot which, const claim& what, heard how) {
  const auto& known = table_.at(which);
  if (what.counter < known.counter || (what.counter == known.counter && what.standing < known.standing)) {
    return;
  }
  const bool newer = what.counter > known.counter;
  switch (what.standing) {
    case standing::alive:
      if (newer) {
        set_alive(which, what.counter);
      }
      break;
    case standing::suspect:
      if (how == heard::table || how == heard::own_join) {
        if (!newer && known.standing == standing::alive) {
          challenge(known.who);
        } else if (newer) {
          set_alive(which, what.counter);  // it has refuted; whether it is suspected again, fresh news will tell
        }
      } else if (!newer && known.standing == standing::suspect) {
        if (auto& held = suspicions_.at(which); what.accuser.value() != 0 && held.confirm(what.accuser)) {
          at(held.deadline(), timer_kind::suspicion_ends, which);
          tell_of(which, what.accuser);
        }
      } else {
        set_suspect(which, what.counter, what.accuser);
      }
      break;
    case standing::unreachable:
      // When two sides meet after a split, each has the other's members unreachable, and by its table would have this
      // side flicker. Whoever is alive here is asked to speak for itself instead.
      if (how != heard::news && !newer && known.standing == standing::alive) {
        challenge(known.who);
      } else if (newer || known.standing != standing::unreachable) {
        set_unreachable(which, what.counter);
      }
      break;
    case standing::left:
    case standing::removed: break;
  }
}

void participant::core::hear_of_unknown(const claim& what, heard how) {
  if (what.address.empty()) {
    return;  // no use without an address; the comparison of tables will bring it
  }
  const slot namesake = table_.find_name(what.name);
  const slot neighbour = table_.find_address(what.address);
  for (const slot holder : {namesake, neighbour}) {
    if (holder == none) {
      continue;
    }
    const member& held = *table_.at(holder).who;
    if (!is_later(what.incarnation, what.name, held)) {
      // The predecessor of somebody who is there already: its news is old.
      gone_.add(member_of(what), standing::removed, now_ + how_.removed_horizon);
      return;
    }
  }
  // In this order, so that both give way or neither: this participant itself may be one of them, and then it ends.
  for (const slot holder : {namesake, neighbour}) {
    if (holder == member_table::self && give_way(holder, what)) {
      return;
    }
  }
  for (const slot holder : {namesake, neighbour == namesake ? none : neighbour}) {
    if (holder != none) {
      (void)give_way(holder, what);
    }
  }
  if (table_.size() >= how_.members_max) {
    ++counters_.over_bound;
    return;
  }
  add_member(what, how);
}

bool participant::core::give_way(slot holder, const claim& to) {
  if (holder != member_table::self) {
    remove(holder, standing::removed);
    return false;
  }
  if (to.name == self_->name && to.address != self_->address) {
    out_.replaced = fmt::format(
        "another process named '{}' has joined the cluster '{}' from {}, later than this one at {}: names must be "
        "unique; give one of the two another name",
        self_->name, how_.cluster, to.address, self_->address);
    end();
    return true;
  }
  // At our own address only we can be alive: an earlier process with a later incarnation, from a clock that was ahead.
  come_back(to.incarnation, {}, "others remember a later incarnation at the address of this process");
  return true;
}

member_ptr participant::core::member_of(const claim& what) {
  return how_.pool != nullptr ? how_.pool->share(what.name, what.incarnation, what.address, what.meta)
                              : make_member(what.name, what.incarnation, what.address, what.meta);
}

void participant::core::add_member(const claim& what, heard how) {
  const bool was_alone = table_.size() == 1;
  const slot which = table_.add(member_of(what), standing::alive, what.counter, random_);
  changed();
  emit(event_kind::up, table_.at(which).who);
  if (watched_ != none) {
    consider_watching(which);
  }
  if (was_alone && phase_ != phase::leaving) {
    next_probe_ = now_ + jittered(how_.probe_interval) / 2;
  }
  if (how != heard::own_join) {
    tell_of(which);
  }
  note_joined();
  if (what.standing == standing::unreachable) {
    set_unreachable(which, what.counter, how != heard::own_join);
  }
}

void participant::core::set_alive(slot which, std::uint32_t counter) {
  const bool was_unreachable = table_.at(which).standing == standing::unreachable;
  suspicions_.erase(which);
  removals_.erase(which);
  table_.set(which, standing::alive, counter);
  if (was_unreachable) {
    changed();
    emit(event_kind::reachable, table_.at(which).who);
    if (watched_ != none) {
      consider_watching(which);
    }
    reconsider_majority();
  }
  tell_of(which);
}

void participant::core::set_suspect(slot which, std::uint32_t counter, incarnation accuser) {
  if (table_.at(which).standing != standing::alive) {
    set_alive(which, counter);
  }
  suspicions_.erase(which);
  const auto held = suspicions_.emplace(which, suspicion{how_, table_.size(), accuser, now_}).first;
  at(held->second.deadline(), timer_kind::suspicion_ends, which);
  table_.set(which, standing::suspect, counter);
  tell_of(which, accuser);
  if (accuser == self_->incarnation) {
    ++counters_.suspicions;
    start_probe(which, false);  // tells it, so that it can refute at once
  } else {
    // A few, whatever the size of the cluster, look for themselves: they confirm or, through them, it refutes.
    if (random_.chance(std::min<std::uint64_t>(table_.size(), how_.suspicion_confirmations + 1), table_.size())) {
      start_probe(which, false);
    }
  }
}

void participant::core::set_unreachable(slot which, std::uint32_t counter, bool is_news) {
  const bool was_reachable = table_.at(which).standing != standing::unreachable;
  suspicions_.erase(which);
  table_.set(which, standing::unreachable, counter);
  if (was_reachable) {
    removals_[which] = now_ + how_.removal_timeout;
    at(removals_[which], timer_kind::removal, which);
    changed();
    emit(event_kind::unreachable, table_.at(which).who);
    if (which == watched_) {
      watched_ = none;
    }
    reconsider_majority();
  }
  if (is_news) {
    tell_of(which);
  }
}

void participant::core::remove(slot which, standing how) {
  const member_ptr who = table_.at(which).who;
  table_.remove(which);
  suspicions_.erase(which);
  removals_.erase(which);
  if (which == watched_) {
    watched_ = none;
  }
  if (const auto probing = probe_of_.find(who.get()); probing != probe_of_.end()) {
    end_probe(std::uint64_t{probing->second});
  }
  gone_.add(who, how, now_ + how_.removed_horizon);
  changed();
  emit(how == standing::left ? event_kind::left : event_kind::removed, who);
  if (how == standing::removed) {
    if (former_.size() < how_.former_addresses_max) {
      former_.push_back(who);
    } else {
      former_[random_.below(former_.size())] = who;
    }
  }
  tell_departed(who, how);
  if (table_.size() == 1) {
    next_probe_ = instant_never;
  }
  reconsider_majority();
}

void participant::core::tell_of(slot which, incarnation accuser) {
  const auto& one = table_.at(which);
  tell({.who = one.who, .standing = one.standing, .counter = one.counter, .accuser = accuser, .remembered_s = 0});
}

void participant::core::tell_departed(const member_ptr& who, standing how) {
  const auto horizon = std::chrono::duration_cast<std::chrono::seconds>(how_.removed_horizon);
  tell({.who = who,
        .standing = how,
        .counter = 0,
        .accuser = {},
        .remembered_s = static_cast<std::uint32_t>(horizon.count())});
}

void participant::core::challenge(const member_ptr& who) {
  constexpr std::size_t challenged_max = 4096;  // the next comparison brings those for whom there is no room
  if (challenged_.size() < challenged_max) {
    challenged_.push_back(who);
    next_challenge_ = std::min(next_challenge_, now_);
  }
}

void participant::core::emit(event_kind kind, const member_ptr& who) {
  out_.events.push_back({.kind = kind, .who = who});
}

std::optional<claim> participant::core::held_against(slot which) const {
  const auto& one = table_.at(which);
  if (one.standing == standing::alive) {
    return std::nullopt;
  }
  return claim{.standing = one.standing,
               .name = one.who->name,
               .incarnation = one.who->incarnation,
               .counter = one.counter,
               .accuser = one.standing == standing::suspect ? self_->incarnation : incarnation{}};
}

}  // namespace muster::membership

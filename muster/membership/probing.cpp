#include <algorithm>
#include <utility>

#include "muster/membership/core.hpp"

namespace muster::membership {

void participant::core::probe_next() {
  if (table_.size() <= 1) {
    next_probe_ = instant_never;
    return;
  }
  next_probe_ = now_ + how_.probe_interval;
  // By chance alone some member goes without a probe for seconds now and then. So every other probe goes to the next
  // on a ring: each member has one that never takes its eyes off it, which bounds the time until it is missed.
  const slot neighbour = watch_turn_ ? watched() : none;
  watch_turn_ = !watch_turn_;
  if (const slot which = neighbour != none ? neighbour : table_.next_to_probe(random_); which != none) {
    start_probe(which, false);
  }
}

void participant::core::consider_watching(slot which) {
  const auto distance = [this](slot of) { return table_.at(of).who->key - self_->key; };
  if (which != member_table::self && table_.at(which).standing != standing::unreachable &&
      (watched_ == none || distance(which) < distance(watched_))) {
    watched_ = which;
  }
}

participant::core::slot participant::core::watched() {
  if (watched_ == none && table_.reachable() > 1) {
    table_.each([this](slot which) { consider_watching(which); });
  }
  return watched_;
}

void participant::core::start_probe(slot which, bool urgent, bool challenge) {
  const auto& target = table_.at(which);
  if (const auto running = probe_of_.find(target.who.get()); running != probe_of_.end()) {
    if (urgent) {
      ask_others(running->second);
    }
    return;
  }
  if (phase_ == phase::leaving) {
    return;
  }
  ++counters_.probes;
  const std::uint64_t sequence = ++sequence_;
  probe& made = probes_[sequence];
  made.target = target.who;
  // Who may not know us yet would drop a ping as a stranger's. What is disputed goes with a ping only.
  made.introduced = !target.knows_us && !challenge;
  made.challenge = challenge;
  probe_of_.emplace(target.who.get(), sequence);
  send_probe(sequence);
  const duration wait = awareness_.scaled(how_.probe_timeout);
  if (urgent) {
    at(now_ + wait, timer_kind::probe_ends, sequence);
    ask_others(sequence);
  } else {
    at(now_ + wait, timer_kind::ask_others, sequence);
    at(now_ + 2 * wait, timer_kind::probe_ends, sequence);
  }
}

void participant::core::send_probe(std::uint64_t sequence) {
  const probe& what = probes_.at(sequence);
  const member_ptr whom = what.target;
  if (what.introduced) {
    send_handshake(whom, {}, whom->incarnation,
                   hello{.purpose = hello_purpose::introduce, .sequence = sequence, .who = introduce()},
                   traffic::probe);
    return;
  }
  std::optional<claim> disputed;
  if (const slot which = table_.find(*whom);
      what.challenge && which != none && table_.at(which).standing == standing::alive) {
    disputed = claim{.standing = standing::suspect,
                     .name = whom->name,
                     .incarnation = whom->incarnation,
                     .counter = table_.at(which).counter};
  }
  send(whom, ping{.sequence = sequence}, traffic::probe, disputed);
}

void participant::core::repeat_probe(std::uint64_t sequence) {
  constexpr std::uint8_t repeated_max = 3;  // a connection that breaks whenever it is made gives no news
  if (probe& what = probes_.at(sequence); what.repeated < repeated_max) {
    ++what.repeated;
    send_probe(sequence);
  }
}

void participant::core::ask_others(std::uint64_t sequence) {
  const auto found = probes_.find(sequence);
  if (found == probes_.end() || found->second.asked) {
    return;
  }
  probe& of = found->second;
  const member_ptr target = of.target;
  of.asked = true;
  // Of one that is unreachable already only its own answer counts; nor do others that have it alive need to be told.
  const slot subject = table_.find(*target);
  if (subject == none || table_.at(subject).standing == standing::unreachable) {
    return;
  }
  const auto fits = [&](slot which) {
    const auto& one = table_.at(which);
    // Nor one whose own connection has just broken: it may have died of the same cause.
    const auto probing = probe_of_.find(one.who.get());
    return one.standing == standing::alive && *one.who != *target &&
           (probing == probe_of_.end() || !probes_.at(probing->second).asked) &&
           std::ranges::none_of(of.relays, [&](const relay& other) { return *other.who == *one.who; });
  };
  std::optional<claim> held = held_against(subject);
  if (held) {
    held->accuser = {};  // so that it is not counted as the finding of one more
  }
  const std::size_t already = of.relays.size();
  while (of.relays.size() < already + how_.indirect_probes) {
    const slot which = table_.pick(random_, fits);
    if (which == none) {
      break;
    }
    of.relays.push_back({.who = table_.at(which).who});
    send(of.relays.back().who,
         ping_request{.sequence = sequence, .name = target->name, .incarnation = target->incarnation}, traffic::probe,
         held);
  }
}

void participant::core::end_probe(std::uint64_t sequence) {
  const auto found = probes_.find(sequence);
  probe_of_.erase(found->second.target.get());
  probes_.erase(found);
}

void participant::core::probe_failed(std::uint64_t sequence) {
  const auto found = probes_.find(sequence);
  if (found == probes_.end()) {
    return;
  }
  const probe failed = std::move(found->second);
  probe_of_.erase(failed.target.get());
  probes_.erase(found);
  const slot which = table_.find(*failed.target);
  if (which == none) {
    return;
  }
  ++counters_.probes_failed;
  table_.set_knows_us(which, false);
  switch (table_.at(which).standing) {
    case standing::alive: {
      // Those who were asked and are well have said so. Each that has not makes it likelier that the fault is here
      // (Lifeguard, section IV-A).
      const auto silent = static_cast<std::size_t>(
          std::ranges::count_if(failed.relays, [](const relay& one) { return one.said == relay::answer::waiting; }));
      awareness_.worse(failed.relays.empty() ? 1 : silent);
      set_suspect(which, table_.at(which).counter, self_->incarnation);
      break;
    }
    case standing::suspect:
      if (auto& held = suspicions_.at(which); held.confirm(self_->incarnation)) {
        at(held.deadline(), timer_kind::suspicion_ends, which);
        tell_of(which, self_->incarnation);
      }
      break;
    default: break;
  }
}

void participant::core::conclude_if_refused(std::uint64_t sequence) {
  const auto found = probes_.find(sequence);
  if (found == probes_.end() || !found->second.refused || !found->second.asked) {
    return;
  }
  constexpr std::size_t asked_max = 16;  // in all, when those who were asked turn out to be gone themselves
  const auto all_gone = [](const probe& of) {
    return !of.relays.empty() &&
           std::ranges::all_of(of.relays, [](const relay& one) { return one.said == relay::answer::gone; });
  };
  if (probe& of = found->second; all_gone(of) && of.relays.size() < asked_max) {
    const std::size_t before = of.relays.size();
    of.asked = false;
    ask_others(sequence);
    if (of.relays.size() > before) {
      return;
    }
  }
  const probe& of = found->second;
  const bool everyone = std::ranges::all_of(of.relays, [](const relay& one) {
    return one.said == relay::answer::refused || one.said == relay::answer::gone;
  });
  if (!everyone) {
    return;
  }
  const slot which = table_.find(*of.target);
  end_probe(sequence);
  if (which != none && table_.at(which).standing != standing::unreachable) {
    // No process listens there, as everyone has found who was asked: there is nothing to wait for.
    table_.set_knows_us(which, false);
    set_unreachable(which, table_.at(which).counter);
  }
}

void participant::core::end_favour(std::uint64_t sequence, bool refused) {
  const auto found = favours_.find(sequence);
  if (found == favours_.end()) {
    return;
  }
  const favour done = found->second;
  favours_.erase(found);
  send(done.asker, nack{.sequence = done.asker_sequence, .refused = refused}, traffic::probe);
}

void participant::core::ask_challenged() {
  constexpr std::size_t at_once = 16;  // a few each time, for after a long split there may be thousands
  next_challenge_ = instant_never;
  for (std::size_t i = 0; i < at_once && !challenged_.empty(); ++i) {
    const member_ptr who = std::move(challenged_.back());
    challenged_.pop_back();
    if (const slot which = table_.find(*who); which != none && table_.at(which).standing == standing::alive) {
      start_probe(which, false, true);
    }
  }
  if (!challenged_.empty()) {
    next_challenge_ = now_ + how_.gossip_interval;
  }
}

void participant::core::handle_connection_lost(std::string_view address, instant now) {
  advance(now);
  if (phase_ != phase::ended) {
    const slot which = table_.find_address(address);
    if (which != none && which != member_table::self && table_.at(which).standing != standing::unreachable) {
      const auto running = probe_of_.find(table_.at(which).who.get());
      if (running != probe_of_.end()) {
        repeat_probe(running->second);
      }
      start_probe(which, true);
    }
  }
  run_timers();
}

void participant::core::handle_connection_refused(std::string_view address, instant now) {
  advance(now);
  if (phase_ == phase::ended) {
    return;
  }
  std::erase_if(farewells_, [&](const member_ptr& one) { return one->address == address; });
  std::vector<std::uint64_t> done;
  for (const auto& [sequence, one] : favours_) {
    if (one.target->address == address) {
      done.push_back(sequence);
    }
  }
  for (const std::uint64_t sequence : done) {
    end_favour(sequence, true);
  }

  if (const slot which = table_.find_address(address);
      which != none && which != member_table::self && table_.at(which).standing != standing::unreachable) {
    start_probe(which, true);
    if (const auto probing = probe_of_.find(table_.at(which).who.get()); probing != probe_of_.end()) {
      const std::uint64_t sequence = probing->second;
      probes_.at(sequence).refused = true;
      conclude_if_refused(sequence);
    }
  }

  done.clear();
  for (auto& [sequence, one] : probes_) {
    for (relay& asked : one.relays) {
      if (asked.who->address == address && asked.said == relay::answer::waiting) {
        asked.said = relay::answer::gone;
        done.push_back(sequence);
      }
    }
  }
  for (const std::uint64_t sequence : done) {
    conclude_if_refused(sequence);
  }
  run_timers();
}

}  // namespace muster::membership

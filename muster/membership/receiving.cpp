#include <utility>

#include "muster/membership/core.hpp"

namespace muster::membership {

namespace {

/// Requests to probe that are served at one time; who asks for more gets no answer.
constexpr std::size_t favours_max = 1024;

}  // namespace

void participant::core::receive(const message& what) {
  const header& from = what.from;
  if (from.name == self_->name && from.incarnation == self_->incarnation) {
    // Our own words: an address among the seeds is our own under another spelling.
    if (const auto* greeting = std::get_if<hello>(&what.what)) {
      if (const auto asked = questions_.find(greeting->sequence); asked != questions_.end()) {
        for (seed& one : seeds_) {
          one.is_self = one.is_self || one.address == asked->second.address;
        }
        questions_.erase(asked);
      }
    }
    return;
  }
  if (from.to.value() != 0 && from.to != self_->incarnation) {
    ++counters_.misdirected;
    return;
  }
  if (from.to.value() == 0 && !std::holds_alternative<hello>(what.what)) {
    ++counters_.malformed;
    return;
  }
  if (auto* removed = gone_.find(from.name, from.incarnation)) {
    receive_from_removed(*removed, what);
  } else if (const slot known = table_.find(from.name, from.incarnation); known != none) {
    receive_from_member(known, what);
  } else {
    receive_from_stranger(what);
  }
  accused_ = false;
}

void participant::core::receive_from_removed(departed::record& from, const message& what) {
  ++counters_.from_removed;
  if (const auto* notice = std::get_if<removed_notice>(&what.what)) {
    handle_removed_notice(what, *notice, true);
    return;
  }
  // Nothing of what it says is merged: it would be the view of a side that this one has parted from.
  std::string_view address = from.who->address;
  if (const auto* greeting = std::get_if<hello>(&what.what)) {
    if (greeting->who.cluster != how_.cluster) {
      ++counters_.other_cluster;
      return;
    }
    address = greeting->who.address;
  }
  tell_removed(from, address, false);
}

void participant::core::receive_from_stranger(const message& what) {
  if (const auto* greeting = std::get_if<hello>(&what.what)) {
    handle_hello(what, *greeting);
  } else if (const auto* no = std::get_if<refused>(&what.what)) {
    handle_refused(*no);
  } else if (const auto* theirs = std::get_if<digest>(&what.what); theirs && answers_question(theirs->sequence)) {
    handle_digest(what, *theirs);
  } else if (const auto* part = std::get_if<records>(&what.what); part && answers_question(part->sequence)) {
    handle_records(what, *part);
  } else if (const auto* notice = std::get_if<removed_notice>(&what.what)) {
    handle_removed_notice(what, *notice, false);
  } else {
    ++counters_.from_strangers;
  }
}

void participant::core::receive_from_member(slot from, const message& what) {
  // Held, because its own news may be that it leaves.
  const member_ptr sender = table_.at(from).who;
  if (what.from.to.value() != 0) {
    table_.set_knows_us(from, true);
  }
  table_.prefetch(what.news);
  for (const claim& one : what.news) {
    hear(one, heard::news);
    if (phase_ == phase::ended) {
      return;
    }
  }
  std::visit(
      [&](const auto& content) {
        using kind = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<kind, hello>) {
          handle_hello(what, content);
        } else if constexpr (std::is_same_v<kind, refused>) {
          handle_refused(content);
        } else if constexpr (std::is_same_v<kind, digest>) {
          handle_digest(what, content);
        } else if constexpr (std::is_same_v<kind, records>) {
          handle_records(what, content);
        } else if constexpr (std::is_same_v<kind, removed_notice>) {
          handle_removed_notice(what, content, false);
        } else if constexpr (!std::is_same_v<kind, gossip>) {
          handle(sender, content);
        }
      },
      what.what);
  // The accuser may have missed an earlier refutation that nobody tells any more. A ping's answer has told it.
  if (accused_ && phase_ != phase::ended && !std::holds_alternative<ping>(what.what)) {
    send(sender, gossip{}, traffic::gossip, defence());
  }
}

void participant::core::handle(const member_ptr& from, const ping& what) {
  send(from, ack{.sequence = what.sequence}, traffic::probe, accused_ ? std::optional{defence()} : std::nullopt);
}

claim participant::core::defence() const {
  return {.standing = standing::alive,
          .name = self_->name,
          .incarnation = self_->incarnation,
          .counter = table_.at(member_table::self).counter,
          .address = self_->address,
          .meta = self_->meta};
}

void participant::core::handle(const member_ptr& from, const ack& what) {
  if (const auto served = favours_.find(what.sequence); served != favours_.end()) {
    if (*served->second.target == *from) {
      const favour done = served->second;
      favours_.erase(served);
      send(done.asker, ack{.sequence = done.asker_sequence}, traffic::probe);
    }
    return;
  }
  if (phase_ == phase::leaving && what.sequence >= farewells_from_) {
    std::erase_if(farewells_, [&](const member_ptr& one) { return *one == *from; });
    if (farewells_.empty()) {
      continue_leave();
    }
    return;
  }
  if (const auto found = probes_.find(what.sequence); found != probes_.end()) {
    const member_ptr target = found->second.target;
    const bool introduced = found->second.introduced;
    end_probe(what.sequence);
    awareness_.better();
    // A first contact told it nothing of what is held against it; a plain ping does.
    if (const slot which = table_.find(*target);
        introduced && which != none && table_.at(which).standing != standing::alive) {
      start_probe(which, false);
    }
  }
}

void participant::core::handle(const member_ptr& from, const ping_request& what) {
  if (what.name == self_->name && what.incarnation == self_->incarnation) {
    send(from, ack{.sequence = what.sequence}, traffic::probe);
    return;
  }
  const slot target = table_.find(what.name, what.incarnation);
  if (target == none || favours_.size() >= favours_max) {
    send(from, nack{.sequence = what.sequence, .refused = false}, traffic::probe);
    return;
  }
  const std::uint64_t sequence = ++sequence_;
  const member_ptr whom = table_.at(target).who;
  favours_.emplace(sequence, favour{.asker = from, .asker_sequence = what.sequence, .target = whom});
  if (table_.at(target).knows_us) {
    send(whom, ping{.sequence = sequence}, traffic::probe);
  } else {
    send_handshake(whom, {}, whom->incarnation,
                   hello{.purpose = hello_purpose::introduce, .sequence = sequence, .who = introduce()},
                   traffic::probe);
  }
  // In time for the asker, who waits a whole probe_timeout (Lifeguard, section IV-A).
  at(now_ + how_.probe_timeout * 4 / 5, timer_kind::relay_ends, sequence);
}

void participant::core::handle(const member_ptr& from, const nack& what) {
  const auto found = probes_.find(what.sequence);
  if (found == probes_.end()) {
    return;
  }
  for (relay& one : found->second.relays) {
    if (*one.who == *from) {
      one.said = what.refused ? relay::answer::refused : relay::answer::nacked;
    }
  }
  conclude_if_refused(what.sequence);
}

}  // namespace muster::membership

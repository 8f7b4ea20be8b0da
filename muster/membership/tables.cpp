#include <algorithm>
#include <utility>

#include "muster/membership/core.hpp"

namespace muster::membership {

namespace {

constexpr duration question_lifetime = std::chrono::seconds{30};
constexpr std::size_t questions_max = 256;

/// More than a part of a table takes beside its claims.
constexpr std::size_t records_overhead_bytes =
    2 + 2 + name_bytes_max + 16 + 10 + (1 + cluster_bytes_max + 2 + 2 + address_bytes_max + 2 + meta_bytes_max + 5) +
    2 + 16 + 3;

bool is_in(std::uint64_t key, std::size_t bucket_count, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t bucket = key % bucket_count;
  return (((bucket < 64 ? low : high) >> (bucket % 64)) & 1U) != 0;
}

}  // namespace

// --- asking ---

void participant::core::ask(const member_ptr& to, const std::string& address, hello_purpose purpose) {
  std::erase_if(questions_, [&](const auto& one) { return one.second.asked_at + question_lifetime <= now_; });
  if (questions_.size() >= questions_max) {
    return;
  }
  const std::uint64_t sequence = ++sequence_;
  questions_.emplace(
      sequence,
      question{
          .purpose = purpose, .address = to ? to->address : address, .asked_at = now_, .alone = table_.size() == 1});
  send_handshake(to, address, incarnation{},
                 hello{.purpose = purpose, .sequence = sequence, .who = introduce(), .root = table_.root()},
                 traffic::bulk);
}

void participant::core::join_seeds() {
  next_join_ = instant_never;
  if (!how_.invited_by.empty() && phase_ == phase::joining) {
    ask(nullptr, how_.invited_by, hello_purpose::join);
    if (join_rounds_ == 0) {
      ++join_rounds_;
      next_join_ = now_ + join_delay_;
      return;
    }
  }
  bool asked = false;
  bool may_found = seeds_.empty();
  for (const seed& one : seeds_) {
    if (one.is_self) {
      may_found = true;
    } else {
      ask(nullptr, one.address, hello_purpose::join);
      asked = true;
    }
  }
  // Who is among the seeds does not wait for the others: it may be the first one there is, and those that come
  // later, or have begun at the same time, join it as it joins them.
  if (!asked || (may_found && join_rounds_ > 0)) {
    note_joined();
    if (!asked) {
      return;
    }
  }
  ++join_rounds_;
  if (phase_ == phase::joining) {
    next_join_ = now_ + jittered(join_delay_);
    join_delay_ = std::min(how_.join_retry_max, 2 * join_delay_);
  }
}

void participant::core::note_joined() {
  if (phase_ != phase::joining) {
    return;
  }
  // Seeds that have not answered are tried on by `try_to_heal`.
  phase_ = phase::joined;
  next_join_ = instant_never;
  out_.joined = true;
}

duration participant::core::sooner() const {
  constexpr double share = 0.1;
  const double wait = share * cluster_scale(table_.size()) * static_cast<double>(how_.sync_interval.count());
  return duration{static_cast<duration::rep>(wait)};
}

void participant::core::compare_with_somebody() {
  next_sync_ = now_ + jittered(how_.sync_interval);
  if (phase_ == phase::leaving) {
    return;
  }
  const slot which = table_.pick(random_, [&](slot at) { return table_.at(at).standing == standing::alive; });
  if (which != none) {
    ask(table_.at(which).who, {}, hello_purpose::compare);
  }
}

void participant::core::try_to_heal() {
  next_heal_ = now_ + jittered(how_.heal_interval);
  if (phase_ == phase::leaving) {
    return;
  }
  // One of each kind, so that many of one kind do not keep the others from their turn.
  if (table_.unreachable() > 0) {
    const slot which = table_.pick(random_, [&](slot at) { return table_.at(at).standing == standing::unreachable; });
    ask(table_.at(which).who, {}, hello_purpose::compare);
  }
  while (!former_.empty()) {
    std::swap(former_[random_.below(former_.size())], former_.back());
    if (!former_.back()->address.empty() && table_.find_address(former_.back()->address) == none) {
      ask(nullptr, former_.back()->address, hello_purpose::compare);
      break;
    }
    former_.pop_back();  // a member lives there
  }
  if (phase_ == phase::joined && !seeds_.empty()) {
    const seed& one = seeds_[random_.below(seeds_.size())];
    if (!one.is_self && table_.find_address(one.address) == none) {
      ask(nullptr, one.address, hello_purpose::compare);
    }
  }
}

// --- answering ---

participant::core::slot participant::core::admit(const header& from, const introduction& who) {
  hear({.standing = standing::alive,
        .name = from.name,
        .incarnation = from.incarnation,
        .counter = who.counter,
        .address = who.address,
        .meta = who.meta},
       heard::first_hand);
  return phase_ == phase::ended ? none : table_.find(from.name, from.incarnation);
}

void participant::core::handle_hello(const message& from, const hello& what) {
  const auto refuse = [&](refusal reason) {
    send_handshake(nullptr, what.who.address, from.from.incarnation,
                   refused{.sequence = what.sequence, .reason = reason, .who = introduce()}, traffic::bulk);
  };
  if (what.who.cluster != how_.cluster) {
    ++counters_.other_cluster;
    refuse(refusal::other_cluster);
    return;
  }
  if (what.who.versions.min > supported_versions.max || what.who.versions.max < supported_versions.min) {
    refuse(refusal::no_common_version);
    return;
  }
  if (phase_ == phase::leaving) {
    return;  // a newcomer asks again, and somebody else answers
  }
  const slot which = admit(from.from, what.who);
  if (which == none) {
    if (phase_ == phase::ended) {
      return;
    }
    if (auto* removed = gone_.find(from.from.name, from.from.incarnation)) {
      tell_removed(*removed, what.who.address, false);  // a later one has its name or address
    } else {
      refuse(refusal::full);
    }
    return;
  }
  const member_ptr sender = table_.at(which).who;
  switch (what.purpose) {
    case hello_purpose::introduce: send(sender, ack{.sequence = what.sequence}, traffic::probe); break;
    case hello_purpose::join: send_table(sender, what.sequence, 1, 1, 0, false); break;
    case hello_purpose::compare: {
      digest answer{.sequence = what.sequence, .who = introduce(), .buckets = {}};
      if (what.root != table_.root()) {
        answer.buckets = table_.buckets(table_.bucket_count());
      }
      send_handshake(sender, {}, sender->incarnation, std::move(answer), traffic::bulk);
      break;
    }
  }
}

void participant::core::handle_refused(const refused& what) {
  const auto asked = questions_.find(what.sequence);
  if (asked == questions_.end()) {
    return;
  }
  join_refusal out{.address = asked->second.address, .reason = what.reason, .sentence = {}};
  questions_.erase(asked);
  switch (what.reason) {
    case refusal::other_cluster:
      out.sentence = fmt::format(
          "the process at {} belongs to the cluster '{}', and this one to '{}': correct the seeds or the cluster's "
          "name",
          out.address, what.who.cluster, how_.cluster);
      break;
    case refusal::no_common_version:
      out.sentence = fmt::format(
          "the process at {} speaks the membership versions {} to {}, and this one {} to {}: upgrade the older one",
          out.address, what.who.versions.min, what.who.versions.max, supported_versions.min, supported_versions.max);
      break;
    case refusal::full:
      out.sentence =
          fmt::format("the process at {} has as many members as it may: raise members_max there", out.address);
      break;
  }
  out_.refusals.push_back(std::move(out));
}

void participant::core::handle_digest(const message& from, const digest& what) {
  const auto asked = questions_.find(what.sequence);
  if (asked == questions_.end() || what.who.cluster != how_.cluster) {
    return;
  }
  const slot which = admit(from.from, what.who);
  if (which == none || what.buckets.empty()) {
    return;
  }
  const std::size_t count = what.buckets.size();
  const auto mine = table_.buckets(count);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (mine[i] != what.buckets[i]) {
      (i < 64 ? low : high) |= std::uint64_t{1} << (i % 64);
    }
  }
  if (low != 0 || high != 0) {
    // Tables that differ are compared again sooner, each time with another, until they do not.
    next_sync_ = std::min(next_sync_, now_ + jittered(sooner()));
    send_table(member_ptr{table_.at(which).who}, what.sequence, count, low, high, true);
  }
}

void participant::core::handle_records(const message& from, const records& what) {
  const auto asked = questions_.find(what.sequence);
  const bool is_answer = asked != questions_.end();
  if (what.who.cluster != how_.cluster) {
    ++counters_.other_cluster;
    return;
  }
  const bool joins = is_answer && asked->second.purpose == hello_purpose::join;
  const bool fresh = joins && asked->second.alone;
  const slot which = admit(from.from, what.who);
  if (which == none) {
    return;
  }
  const member_ptr sender = table_.at(which).who;
  table_.prefetch(what.table);
  for (const claim& one : what.table) {
    hear(one, fresh ? heard::own_join : heard::table);
    if (phase_ == phase::ended) {
      return;
    }
  }
  if (joins) {
    next_sync_ = std::min(next_sync_, now_ + jittered(sooner()));  // others may have joined at the same moment
  }
  if (what.bucket_count != 0) {
    send_table(sender, what.sequence, what.bucket_count, what.wanted_low, what.wanted_high, false);
  } else if (joins && !fresh && what.is_last) {
    ask(sender, {}, hello_purpose::compare);  // two clusters meet: the other one wants this one's table as well
  }
}

void participant::core::send_table(const member_ptr& to, std::uint64_t sequence, std::size_t bucket_count,
                                   std::uint64_t low, std::uint64_t high, bool ask_back) {
  records part{.sequence = sequence, .who = introduce(), .is_last = false, .table = {}};
  const std::size_t space = how_.chunk_bytes_max - records_overhead_bytes;
  std::size_t used = 0;
  const auto flush = [&] {
    ++counters_.tables_sent;
    send_handshake(to, {}, to->incarnation, part, traffic::bulk);
    part.table.clear();
    used = 0;
  };
  const auto put = [&](const claim& one) {
    const std::size_t needed = encoded_bytes(one);
    if (used + needed > space) {
      flush();
    }
    used += needed;
    part.table.push_back(one);
  };

  table_.each([&](slot which) {
    const auto& one = table_.at(which);
    if (is_in(one.who->key, bucket_count, low, high)) {
      put({.standing = one.standing,
           .name = one.who->name,
           .incarnation = one.who->incarnation,
           .counter = one.counter,
           .address = one.who->address,
           .meta = one.who->meta});
    }
  });
  gone_.each([&](const departed::record& one) {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(one.forget_at - now_).count();
    if (left > 0 && is_in(one.who->key, bucket_count, low, high)) {
      put({.standing = one.how,
           .name = one.who->name,
           .incarnation = one.who->incarnation,
           .remembered_s = static_cast<std::uint32_t>(left)});
    }
  });
  part.is_last = true;
  if (ask_back) {
    part.bucket_count = static_cast<std::uint8_t>(bucket_count);
    part.wanted_low = low;
    part.wanted_high = high;
  }
  flush();
}

}  // namespace muster::membership

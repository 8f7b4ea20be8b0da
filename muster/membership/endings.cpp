#include <algorithm>
#include <tuple>
#include <utility>

#include "muster/membership/core.hpp"

namespace muster::membership {

namespace {

constexpr duration notice_interval = std::chrono::milliseconds{500};
constexpr std::size_t farewells_max = 8;
constexpr std::size_t seeds_handed_on_max = 8;

}  // namespace

// --- removed while alive ---

void participant::core::tell_removed(departed::record& whom, std::string_view address, bool is_answer) {
  if (address.empty() || (!is_answer && whom.told_at && now_ - *whom.told_at < notice_interval)) {
    return;
  }
  whom.told_at = now_;
  removed_notice out{.who = introduce(),
                     .side_size = table_.reachable(),
                     .side_lowest = lowest_address(true),
                     .is_answer = is_answer,
                     .successor = {},
                     .successor_name = {},
                     .successor_address = {}};
  // Whom it has to exceed: an earlier life of its own, which is still remembered, does not hide who has its address.
  const auto is_later = [&](slot which) {
    return which != none && table_.at(which).who->incarnation > whom.who->incarnation;
  };
  slot successor = table_.find_name(whom.who->name);
  if (!is_later(successor)) {
    successor = table_.find_address(address);
  }
  if (is_later(successor)) {
    const member& later = *table_.at(successor).who;
    out.successor = later.incarnation;
    out.successor_name = later.name;
    out.successor_address = later.address;
  }
  send_handshake(nullptr, address, whom.who->incarnation, out, traffic::bulk);
}

void participant::core::handle_removed_notice(const message& from, const removed_notice& what, bool sender_is_removed) {
  if (what.who.cluster != how_.cluster) {
    ++counters_.other_cluster;
    return;
  }
  if (phase_ == phase::leaving) {
    std::erase_if(farewells_, [&](const member_ptr& one) {
      return one->name == from.from.name && one->incarnation == from.from.incarnation;
    });
    if (farewells_.empty()) {
      continue_leave();
    }
    return;
  }
  if (what.successor > self_->incarnation) {
    if (what.successor_name == self_->name && what.successor_address != self_->address) {
      out_.replaced = fmt::format(
          "another process named '{}' is a member of the cluster '{}' at {}, later than this one at {}: names must be "
          "unique; give one of the two another name",
          self_->name, how_.cluster, what.successor_address, self_->address);
      end();
    } else {
      come_back(what.successor, what.who.address, "others remember a later incarnation of this process");
    }
    return;
  }
  if (sender_is_removed) {
    // After a long split each side has removed the other. One of them comes back, the smaller one, so that the other
    // keeps all it has; both judge by the same numbers.
    const auto mine = std::tuple{table_.reachable(), lowest_address(true)};
    const auto theirs = std::tuple{static_cast<std::size_t>(what.side_size), what.side_lowest};
    const bool stays = std::get<0>(mine) != std::get<0>(theirs)   ? std::get<0>(mine) > std::get<0>(theirs)
                       : std::get<1>(mine) != std::get<1>(theirs) ? std::get<1>(mine) < std::get<1>(theirs)
                                                                  : self_->incarnation < from.from.incarnation;
    if (stays) {
      if (auto* record = gone_.find(from.from.name, from.from.incarnation); record != nullptr && !what.is_answer) {
        tell_removed(*record, what.who.address, true);
      }
      return;
    }
  }
  come_back(self_->incarnation, what.who.address,
            fmt::format("'{}' at {} says that this process has been removed", from.from.name, what.who.address));
}

void participant::core::come_back(incarnation above, std::string_view told_by, std::string sentence) {
  rejoin out{.above = above, .invited_by = std::string{told_by}, .seeds = {}, .sentence = std::move(sentence)};
  const auto add = [&](std::string_view address) {
    if (address != self_->address && std::ranges::find(out.seeds, address) == out.seeds.end()) {
      out.seeds.emplace_back(address);
    }
  };
  for (const seed& one : seeds_) {
    add(one.address);
  }
  if (told_by.empty()) {
    // Whoever told this did so as one of the same side, which then is the one to come back to.
    const std::size_t enough = out.seeds.size() + seeds_handed_on_max;
    table_.each([&](slot which) {
      if (out.seeds.size() < enough && table_.at(which).standing == standing::alive) {
        add(table_.at(which).who->address);
      }
    });
  }
  if (out.seeds.size() > how_.seeds_max) {
    out.seeds.resize(how_.seeds_max);
  }
  out_.rejoin = std::move(out);
  end();
}

void participant::core::end() {
  phase_ = phase::ended;
  news_.clear();
  probes_.clear();
  probe_of_.clear();
  favours_.clear();
  questions_.clear();
}

// --- leaving ---

void participant::core::handle_leave(instant now) {
  advance(now);
  if (phase_ == phase::ended || phase_ == phase::leaving) {
    return;
  }
  phase_ = phase::leaving;
  next_join_ = instant_never;
  next_probe_ = instant_never;
  majority_at_ = instant_never;
  leave_deadline_ = now_ + how_.leave_timeout;
  farewells_from_ = sequence_ + 1;
  const auto fits = [&](slot which) {
    return table_.at(which).standing != standing::unreachable &&
           std::ranges::find(farewells_, table_.at(which).who) == farewells_.end();
  };
  while (farewells_.size() < farewells_max) {
    const slot which = table_.pick(random_, fits);
    if (which == none) {
      break;
    }
    farewells_.push_back(table_.at(which).who);
  }
  tell_departed(self_, standing::left);
  continue_leave();
  run_timers();
}

void participant::core::continue_leave() {
  if (farewells_.empty() || leave_deadline_ <= now_) {
    out_.left = true;
    end();
    return;
  }
  next_leave_ = now_ + how_.probe_timeout;
  const claim farewell{.standing = standing::left,
                       .name = self_->name,
                       .incarnation = self_->incarnation,
                       .remembered_s = static_cast<std::uint32_t>(
                           std::chrono::duration_cast<std::chrono::seconds>(how_.removed_horizon).count())};
  for (const auto& one : farewells_) {
    send(one, ping{.sequence = ++sequence_}, traffic::probe, farewell);
  }
}

// --- majority ---

void participant::core::reconsider_majority() {
  if (!how_.keep_majority || phase_ == phase::leaving || phase_ == phase::ended) {
    return;
  }
  // A split is seen member by member: it is decided when no further one has been lost for a while.
  majority_at_ = table_.unreachable() == 0 ? instant_never : now_ + how_.majority_delay;
}

void participant::core::decide_majority() {
  majority_at_ = instant_never;
  const std::size_t here = table_.reachable();
  const std::size_t there = table_.unreachable();
  const bool tie_goes_there = here == there && lowest_address(false) != lowest_address(true);
  if (here > there || (here == there && !tie_goes_there)) {
    return;
  }
  out_.must_leave =
      fmt::format("{} of {} members are unreachable, {}: with keep_majority this side stops serving", there,
                  here + there, here == there ? "among them the one with the lowest address" : "a majority");
  end();
}

std::string_view participant::core::lowest_address(bool reachable_only) const {
  std::string_view lowest;
  table_.each([&](slot which) {
    const auto& one = table_.at(which);
    if ((!reachable_only || one.standing != standing::unreachable) && (lowest.empty() || one.who->address < lowest)) {
      lowest = one.who->address;
    }
  });
  return lowest;
}

}  // namespace muster::membership

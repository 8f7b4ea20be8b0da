#include "muster/gossip/origin_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "muster/base/invariant.hpp"
#include "muster/gossip/stable_hash.hpp"

namespace muster::gossip {

origin_table::origin_table(const options& how) : how_{how}, log_{how.log_operations_max, how.log_bytes_max} {}

std::vector<origin_table::placed>::const_iterator origin_table::position_of(place at, const node_id& node) const {
  return std::lower_bound(by_place_.begin(), by_place_.end(), std::tie(at, node), [this](const placed& one, auto& key) {
    return std::tie(one.at, records_[one.number]->id.node) < key;
  });
}

origin_record* origin_table::find(const node_id& node) {
  return const_cast<origin_record*>(std::as_const(*this).find(node));
}

const origin_record* origin_table::find(const node_id& node) const {
  const auto found = position_of(place_of(node), node);
  if (found == by_place_.end() || records_[found->number]->id.node != node) {
    return nullptr;
  }
  return records_[found->number].get();
}

origin_record& origin_table::open(const origin_id& who) {
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<registration_table::owner>(records_.size()));
    records_.emplace_back();
  }
  const auto number = free_numbers_.back();
  free_numbers_.pop_back();
  const place at = place_of(who.node);
  by_place_.insert(position_of(at, who.node), placed{at, number});
  records_[number] = std::make_unique<origin_record>();
  origin_record& out = *records_[number];
  out.id = who;
  out.at_place = at;
  out.number = number;
  return out;
}

void origin_table::drop(const node_id& node) {
  origin_record* const origin = find(node);
  if (origin == nullptr) {
    return;
  }
  take_all_out(*origin);
  digest_changes(*origin);
  by_place_.erase(position_of(origin->at_place, node));
  free_numbers_.push_back(origin->number);
  records_[origin->number].reset();
  registrations_.shrink();
}

void origin_table::digest_changes(const origin_record& origin) {
  // A hash is its own inverse: the same call takes out what it put in.
  const std::uint64_t hash = digest_of(origin.at_place, origin.id.life, origin.now.at);
  root_ ^= hash;
  buckets_[bucket_of(origin.at_place)] ^= hash;
}

void origin_table::move_to(origin_record& origin, const mark& at) {
  MUSTER_INVARIANT(at.at >= origin.now.at, "the version of an origin never falls");
  digest_changes(origin);
  origin.now = at;
  digest_changes(origin);
}

std::string origin_table::objection_to(const origin_record& origin, std::string_view key, const entry& what) const {
  const auto too_long = [&](std::string_view part, std::size_t size, std::size_t most) {
    return fmt::format("the {} of a registration of {} has {} bytes; at most {} are allowed", part, origin.id, size,
                       most);
  };
  if (key.size() > how_.key_bytes_max) {
    return too_long("key", key.size(), how_.key_bytes_max);
  }
  if (what.path.size() > how_.path_bytes_max) {
    return too_long("path", what.path.size(), how_.path_bytes_max);
  }
  if (what.type.size() > how_.type_bytes_max) {
    return too_long("message type", what.type.size(), how_.type_bytes_max);
  }
  if (origin.held.count >= how_.registrations_per_origin_max) {
    return fmt::format("{} has more than {} registrations (registrations_per_origin_max)", origin.id,
                       how_.registrations_per_origin_max);
  }
  if (registrations_.size() >= how_.registrations_max) {
    return fmt::format("a registration of {} would be one of more than {} (registrations_max)", origin.id,
                       how_.registrations_max);
  }
  if (registrations_.key_count() >= how_.keys_max && !registrations_.knows_key(key)) {
    return fmt::format("a registration of {} would be under one of more than {} keys (keys_max)", origin.id,
                       how_.keys_max);
  }
  return {};
}

bool origin_table::admit(origin_record& origin, const registration& what, std::uint64_t hash) {
  if (std::string objection = objection_to(origin, what.key.view(), what.what); !objection.empty()) {
    // What is too long stays so: to fetch it again would be in vain.
    const bool is_too_long = what.key.size() > how_.key_bytes_max || what.what.path.size() > how_.path_bytes_max ||
                             what.what.type.size() > how_.type_bytes_max;
    origin.may_heal = (origin.complete || origin.may_heal) && !is_too_long;
    origin.complete = false;
    last_objection_ = std::move(objection);
    ++left_out_total_;
    return false;
  }
  const registration_table::slot& slot = registrations_.at(registrations_.add(origin.number, origin.held, what, hash));
  origin.checksum += hash;
  // By the texts that are kept, so that those who keep the change share them.
  changes_.note({slot.key, origin.id, slot.what, false}, hash);
  return true;
}

void origin_table::take_out(origin_record& origin, registration_table::slot_number which, std::uint64_t hash) {
  const registration_table::slot& slot = registrations_.at(which);
  changes_.note({slot.key, origin.id, slot.what, true}, hash);
  origin.checksum -= hash;
  registrations_.remove(which, origin.held);
}

void origin_table::take_all_out(origin_record& origin) {
  while (origin.held.first != registration_table::none) {
    const registration_table::slot& slot = registrations_.at(origin.held.first);
    take_out(origin, origin.held.first, hash_of(slot.key.view(), slot.what));
  }
}

bool origin_table::holds(const origin_record& origin, std::string_view key, const entry& what) const {
  return registrations_.find(origin.number, key, what, hash_of(key, what)) != registration_table::none;
}

const mark& origin_table::make(origin_record& own, operation what) {
  const std::uint64_t hash = hash_of(what.what.key.view(), what.what.what);
  if (what.removes) {
    take_out(own, registrations_.find(own.number, what.what.key.view(), what.what.what, hash), hash);
  } else {
    const bool is_taken = admit(own, what.what, hash);
    MUSTER_INVARIANT(is_taken, "an own operation was judged before it is made");
  }
  move_to(own, {version{own.now.at.value() + 1}, own.held.count, own.checksum});
  own.last_logged = log_.append(std::move(what), own.now, own.last_logged);
  return own.now;
}

origin_table::outcome origin_table::apply(origin_record& origin, std::span<const operation> operations,
                                          const mark& after) {
  const bool was_complete = origin.complete;
  const std::uint64_t left_out_before = left_out_total_;
  mark running = origin.now;
  for (const operation& one : operations) {
    const std::uint64_t hash = hash_of(one.what.key.view(), one.what.what);
    const auto which = registrations_.find(origin.number, one.what.key.view(), one.what.what, hash);
    if (one.removes && which != registration_table::none) {
      take_out(origin, which, hash);
    } else if (!one.removes && which == registration_table::none) {
      (void)admit(origin, one.what, hash);
    }
    running = {version{running.at.value() + 1}, origin.held.count, origin.checksum};
    // Who lacks something cannot tell what the origin has after each operation, so it is no source for others.
    if (origin.complete) {
      origin.last_logged = log_.append(one, running, origin.last_logged);
    }
  }
  move_to(origin, after);
  auto out = outcome::done;
  if (left_out_total_ != left_out_before) {
    out = outcome::left_out;
  } else if (was_complete && running != after) {
    origin.complete = false;
    origin.may_heal = true;
    out = outcome::diverged;
  } else if (!was_complete && origin.held.count == after.count && origin.checksum == after.checksum) {
    origin.complete = true;  // the origin itself took away what was left out
    out = outcome::complete_again;
  }
  if (!was_complete || !origin.complete) {
    origin.last_logged = 0;
  }
  return out;
}

origin_table::outcome origin_table::install(origin_record& origin, std::span<const registration> content,
                                            const mark& at) {
  take_all_out(origin);
  const bool was_complete = origin.complete;
  const std::uint64_t left_out_before = left_out_total_;
  origin.complete = true;
  origin.may_heal = false;
  origin.last_logged = 0;
  for (const registration& one : content) {
    const std::uint64_t hash = hash_of(one.key.view(), one.what);
    if (registrations_.find(origin.number, one.key.view(), one.what, hash) == registration_table::none) {
      (void)admit(origin, one, hash);
    }
  }
  move_to(origin, at);
  if (left_out_total_ != left_out_before) {
    return outcome::left_out;
  }
  if (origin.held.count != at.count || origin.checksum != at.checksum) {
    origin.complete = false;
    origin.may_heal = true;
    return outcome::diverged;
  }
  return was_complete ? outcome::done : outcome::complete_again;
}

std::vector<const origin_record*> origin_table::between(place first, place last) const {
  const auto begin = std::ranges::lower_bound(by_place_, first, {}, &placed::at);
  const auto end = std::ranges::upper_bound(by_place_, last, {}, &placed::at);
  std::vector<const origin_record*> out;
  for (auto i = begin; i != end; ++i) {
    out.push_back(records_[i->number].get());
  }
  return out;
}

}  // namespace muster::gossip

#include "muster/gossip/registration_table.hpp"

#include "muster/base/invariant.hpp"

namespace muster::gossip {

namespace {

/// The index knows registrations of all origins, so the origin is part of the hash.
std::uint32_t index_hash(std::uint64_t hash, registration_table::owner of) noexcept {
  return static_cast<std::uint32_t>(mixed(hash + of));
}

}  // namespace

bool registration_table::slot_equal::operator()(const probe& left, slot_number right) const noexcept {
  const slot& one = table->at(right);
  return one.hash == left.hash && one.of == left.of && one.key.view() == left.key && one.what == left.what;
}

registration_table::slot_number registration_table::find(owner of, std::string_view key, const entry& what,
                                                         std::uint64_t hash) const {
  const auto found = index_.find(probe{of, key, what, index_hash(hash, of)});
  return found == index_.end() ? none : *found;
}

registration_table::slot_number registration_table::take_slot() {
  if (free_ == none) {
    const auto first = static_cast<slot_number>(pages_.size() * page_slots);
    pages_.push_back(std::make_unique<page>());
    for (slot_number i = page_slots; i > 0; --i) {
      slot_at(first + i - 1).next_of_key = free_;
      free_ = first + i - 1;
    }
  }
  const slot_number out = free_;
  free_ = at(out).next_of_key;
  return out;
}

const shared_text& registration_table::recent(const shared_text& text) {
  shared_text& kept = recent_[hash_text(text.view()) % recent_.size()];
  if (kept != text) {
    kept = text;
  }
  return kept;
}

registration_table::slot_number registration_table::add(owner of, chain& owned, const registration& what,
                                                        std::uint64_t hash) {
  const slot_number out = take_slot();
  const auto list = keys_.try_emplace(what.key).first;
  slot& one = slot_at(out);
  one.key = list->first;
  one.what = {recent(what.what.path), what.what.incarnation, recent(what.what.type)};
  one.of = of;
  one.hash = index_hash(hash, of);

  one.previous_of_key = none;
  one.next_of_key = list->second.first;
  if (one.next_of_key != none) {
    slot_at(one.next_of_key).previous_of_key = out;
  }
  list->second.first = out;
  ++list->second.count;

  one.next_of_owner = none;
  one.previous_of_owner = owned.last;
  (owned.last == none ? owned.first : slot_at(owned.last).next_of_owner) = out;
  owned.last = out;
  ++owned.count;

  const bool is_new = index_.insert(out).second;
  MUSTER_INVARIANT(is_new, "a slot that is in use is not handed out again");
  return out;
}

void registration_table::remove(slot_number which, chain& owned) {
  slot& one = slot_at(which);
  index_.erase(which);

  if (one.next_of_key != none) {
    slot_at(one.next_of_key).previous_of_key = one.previous_of_key;
  }
  const auto list = keys_.find(one.key);
  MUSTER_INVARIANT(list != keys_.end(), "each registration stands in the list of its key");
  (one.previous_of_key == none ? list->second.first : slot_at(one.previous_of_key).next_of_key) = one.next_of_key;
  if (--list->second.count == 0) {
    keys_.erase(list);
  }

  (one.previous_of_owner == none ? owned.first : slot_at(one.previous_of_owner).next_of_owner) = one.next_of_owner;
  (one.next_of_owner == none ? owned.last : slot_at(one.next_of_owner).previous_of_owner) = one.previous_of_owner;
  --owned.count;

  one = slot{};
  one.next_of_key = free_;
  free_ = which;
}

void registration_table::shrink() {
  constexpr std::size_t small = 1024;
  if (index_.bucket_count() > small && index_.size() < index_.bucket_count() / 8) {
    index_.rehash(0);
  }
  if (keys_.bucket_count() > small && keys_.size() < keys_.bucket_count() / 8) {
    keys_.rehash(0);
  }
  if (index_.empty()) {
    pages_.clear();
    pages_.shrink_to_fit();
    free_ = none;
  }
}

std::size_t registration_table::count_of(std::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? 0 : found->second.count;
}

}  // namespace muster::gossip

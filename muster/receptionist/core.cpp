#include "muster/receptionist/core.hpp"

#include <algorithm>
#include <utility>

namespace muster::receptionist {

core::core(const bounds& how, std::shared_ptr<published> shown, gossip::node_id own, std::shared_ptr<scene> seen_in)
    : bounds_{how},
      published_{std::move(shown)},
      scene_{std::move(seen_in)},
      own_name_{std::move(own)},
      own_{new origin_record{{own_name_, gossip::incarnation{0}}, true, scene_}} {}

core::known_origin& core::origin_of(const gossip::origin_id& who) {
  known_origin& found = origins_[who];
  if (!found.record) found.record = new origin_record{who, false, scene_};
  return found;
}

// --- registrations ---

bool core::holds(const any_key& key, const row& what) const {
  if (const auto found = changes_.find(key); found != changes_.end()) {
    if (const auto change = found->second.edits.find(what); change != found->second.edits.end()) {
      return !change->second;
    }
  }
  const roster* const rows = published_->peek(key);
  return rows != nullptr && rows->contains(what);
}

core::changes& core::touch(const any_key& key) {
  const auto [found, is_new] = changes_.try_emplace(key);
  if (is_new) touched_.push_back(key);
  return found->second;
}

bool core::apply(const any_key& key, row what, bool vanishes) {
  // What is heard twice changes nothing, and what never came cannot go.
  if (holds(key, what) != vanishes) return false;
  change(key, std::move(what), vanishes);
  return true;
}

void core::change(const any_key& key, row what, bool vanishes) {
  changes& of = touch(key);
  of.preview = nullptr;
  const auto [place, is_new] = of.edits.try_emplace(std::move(what), vanishes);
  // The opposite of what happened before: together they are nothing.
  if (!is_new) of.edits.erase(place);
  ++pending_;
}

bool core::has_own(const any_key& key, const gossip::entry& what) const { return holds(key, own_row(what)); }
bool core::add_own(const any_key& key, const gossip::entry& what) { return apply(key, own_row(what), false); }
bool core::remove_own(const any_key& key, const gossip::entry& what) { return apply(key, own_row(what), true); }

std::vector<gossip::entry> core::own_entries(const any_key& key, const gossip::shared_text& path,
                                             std::uint64_t incarnation) const {
  const row first{own_, path, incarnation, {}};
  const auto is_of_actor = [&](const row& one) {
    return one.origin == own_ && one.incarnation == incarnation && one.path == path;
  };
  const auto entry_of = [](const row& one) { return gossip::entry{one.path, one.incarnation, one.type}; };
  std::vector<gossip::entry> out;
  if (const roster* const rows = published_->peek(key); rows != nullptr) {
    rows->visit_from(first, [&](const row& one) {
      if (is_of_actor(one)) out.push_back(entry_of(one));
      return is_of_actor(one);
    });
  }
  if (const auto found = changes_.find(key); found != changes_.end()) {
    for (auto edit = found->second.edits.lower_bound(first);
         edit != found->second.edits.end() && is_of_actor(edit->first); ++edit) {
      if (edit->second) {
        std::erase(out, entry_of(edit->first));
      } else {
        out.push_back(entry_of(edit->first));
      }
    }
  }
  return out;
}

void core::handle(directory_news news) {
  news_in_work all{std::move(news)};
  (void)handle_some(all, all.news.changes.size());
}

bool core::handle_some(news_in_work& what, std::size_t changes_max) {
  if (!what.hidden) what.hidden = hide_those_that_go(what.news);
  const std::size_t end = what.next + std::min(changes_max, what.news.changes.size() - what.next);
  while (what.next < end) {
    // Let go of as it is handled: all at once would take long at the end.
    const gossip::change one = std::exchange(what.news.changes[what.next++], {});
    if (one.origin.node == own_name_ || std::ranges::find(*what.hidden, one.origin) != what.hidden->end()) continue;
    known_origin& of = origin_of(one.origin);
    if (apply(any_key{one.key}, {of.record, one.what.path, one.what.incarnation, one.what.type}, one.vanished)) {
      of.rows += one.vanished ? 0 - std::size_t{1} : 1;
    }
  }
  if (what.next < what.news.changes.size()) return false;
  // After the changes: who is gone must not become reachable while it has rows.
  for (const reachability& one : what.news.reach) {
    if (one.origin.node != own_name_) set_reach(one);
  }
  return true;
}

std::vector<gossip::origin_id> core::hide_those_that_go(const directory_news& news) {
  std::map<gossip::origin_id, std::size_t> going;  // and how many of its rows vanish
  for (const reachability& one : news.reach) {
    if (one.now == reachability::state::gone && origins_.contains(one.origin)) going[one.origin] = 0;
  }
  std::vector<gossip::origin_id> out;
  if (going.empty()) return out;
  const gossip::origin_id* last = nullptr;
  auto of = going.end();
  for (const gossip::change& one : news.changes) {
    if (last == nullptr || *last != one.origin) of = going.find(one.origin);
    last = &one.origin;
    if (of == going.end()) continue;
    if (one.vanished) {
      ++of->second;
    } else {
      of = going.erase(of);  // it is met again within the turn, and has kept or registered something
      of = going.end();
    }
  }
  for (const auto& [origin, vanishing] : going) {
    const auto found = origins_.find(origin);
    if (vanishing == 0 || vanishing != found->second.rows) continue;
    hide(found->second.record);
    // What is heard of it from now on, should it be met again, is of another record.
    origins_.erase(found);
    out.push_back(origin);
  }
  return out;
}

void core::hide(const origin_ptr& which) {
  const boost::intrusive_ptr<unreachable_origins> next{new unreachable_origins};
  if (unreachable_) {
    next->origins = unreachable_->origins;
    next->gone = unreachable_->gone;
  }
  std::erase(next->origins, which);
  next->gone.insert(std::lower_bound(next->gone.begin(), next->gone.end(), which), which);
  unreachable_ = next;
  reach_changed_ = true;
  ++age_;
}

void core::end_hiding() {
  const boost::intrusive_ptr<unreachable_origins> next{new unreachable_origins};
  next->origins = unreachable_->origins;
  unreachable_ = next->origins.empty() ? nullptr : next;
  unreachable_published_ = unreachable_;
  published_->set_unreachable(unreachable_);
}

void core::set_reach(const reachability& what) {
  if (what.now != reachability::state::unreachable && !origins_.contains(what.origin)) return;
  const origin_ptr origin = origin_of(what.origin).record;
  const bool before = unreachable_ && unreachable_->contains(origin);
  const bool now = what.now == reachability::state::unreachable;
  if (before == now) return;
  const boost::intrusive_ptr<unreachable_origins> next{new unreachable_origins};
  if (unreachable_) {
    next->origins = unreachable_->origins;
    next->gone = unreachable_->gone;
  }
  const auto place = std::lower_bound(next->origins.begin(), next->origins.end(), origin);
  if (now) {
    next->origins.insert(place, origin);
  } else {
    next->origins.erase(place);
  }
  unreachable_ = next->origins.empty() && next->gone.empty() ? nullptr : next;
  reach_changed_ = true;
  ++age_;
}

// --- what is visible ---

roster_ptr core::preview(const any_key& key, changes& of) {
  if (of.preview && of.preview_age == age_) return of.preview;
  const roster_ptr base{published_->peek(key)};
  of.preview_age = age_;
  if (of.edits.size() == 1 && !is_hidden(of.edits.begin()->first.origin)) {
    const auto& [what, vanishes] = *of.edits.begin();
    of.preview = roster::merged_with(key.text(), base, what, vanishes, unreachable_);
    return of.preview;
  }
  std::vector<edit> edits;
  edits.reserve(of.edits.size());
  for (const auto& [what, vanishes] : of.edits) {
    if (!is_hidden(what.origin)) edits.push_back({what, vanishes});
  }
  of.preview = roster::merged(key.text(), base, edits, unreachable_);
  return of.preview;
}

roster_ptr core::current(const any_key& key) {
  const auto found = changes_.find(key);
  if (found != changes_.end() && !found->second.edits.empty()) return preview(key, found->second);
  roster_ptr rows{published_->peek(key)};
  return rows && reach_differs(*rows, unreachable_.get()) ? preview(key, touch(key)) : rows;
}

void core::publish_reach() {
  if (!std::exchange(reach_changed_, false)) return;
  const auto gone_count = [](const unreachable_ptr& of) { return of ? of->gone.size() : 0; };
  if (gone_count(unreachable_) == gone_count(unreachable_published_) &&
      !any_of_difference(unreachable_.get(), unreachable_published_.get(), [](const auto&) { return true; })) {
    unreachable_ = unreachable_published_;  // what went came back within the turn
    return;
  }
  // Before any roster that says so.
  published_->set_unreachable(unreachable_);
  unreachable_published_ = unreachable_;
  for (const auto& [key, subscribers] : subscriptions_) {
    const roster* const rows = published_->peek(key);
    if (rows != nullptr && reach_differs(*rows, unreachable_.get())) (void)touch(key);
  }
  renewal_ = renewal{0, published_->bucket_count()};
}

void core::renew_some() {
  constexpr std::size_t buckets_at_once = 2048;
  if (!renewal_ || !published_->is_settled_after(buckets_at_once)) return;
  // Keys have other buckets in a table of another size.
  if (renewal_->of_buckets != published_->bucket_count()) renewal_ = renewal{0, published_->bucket_count()};
  const auto outdated = published_->find_outdated(renewal_->next_bucket, buckets_at_once);
  for (const any_key& key : outdated.keys) {
    const roster_ptr before{published_->peek(key)};
    const roster_ptr now = seen_with(before, unreachable_);
    rows_ -= before->size() - (now ? now->size() : 0);
    published_->put(key, now);
  }
  renewal_->next_bucket = outdated.next;
  if (outdated.next != 0) return;
  renewal_.reset();
  if (unreachable_ && !unreachable_->gone.empty()) end_hiding();
}

std::vector<core::notice> core::poll_notices() {
  publish_reach();
  pending_ = 0;
  std::vector<notice> out;
  for (const any_key& key : std::exchange(touched_, {})) {
    const auto of = changes_.find(key);
    const roster_ptr before{published_->peek(key)};
    roster_ptr now = before;
    if (!of->second.edits.empty() || (before && reach_differs(*before, unreachable_.get()))) {
      now = preview(key, of->second);
    }
    changes_.erase(of);
    rows_ += now ? now->size() : 0;
    rows_ -= before ? before->size() : 0;
    if (now != before) published_->put(key, now);
    collect(key, before, now, out);
  }
  renew_some();
  published_->sweep();
  let_go_of_origins();
  return out;
}

void core::collect(const any_key& key, const roster_ptr& before, const roster_ptr& now, std::vector<notice>& out) {
  const auto found = subscriptions_.find(key);
  if (found == subscriptions_.end()) return;
  notice one{key, now, {}};
  // A node may be gone and be met again, with the same registrations, within one turn.
  const bool hides = unreachable_ && !unreachable_->gone.empty();
  for (auto& [who, told] : found->second) {
    // All that were told what was published have seen something else than what is published now; one who came in the
    // middle of the turn has to be looked at.
    const bool differs = told != now && (told == before && !hides ? now != before : !same_content(told, now));
    roster_ptr last = std::exchange(told, now);
    if (differs) one.to.push_back({who, std::move(last)});
  }
  if (!one.to.empty()) out.push_back(std::move(one));
}

void core::let_go_of_origins() {
  if (origins_.size() <= origins_max_) return;
  std::erase_if(origins_, [](const auto& one) { return one.second.record->use_count() == 1; });
  origins_max_ = std::max<std::size_t>(64, origins_.size() * 2);
}

// --- subscriptions ---

core::subscribed core::subscribe(const any_key& key, subscriber_id who) {
  const auto found = subscriptions_.find(key);
  if (found != subscriptions_.end()) {
    if (const auto own = found->second.find(who); own != found->second.end()) {
      own->second = current(key);
      return {outcome::again, own->second};
    }
    if (found->second.size() >= bounds_.subscribers_per_key_max) return {outcome::over_per_key, {}};
  }
  if (subscription_count_ >= bounds_.subscribers_total_max) return {outcome::over_total, {}};
  ++subscription_count_;
  keys_of_[who].insert(key);
  roster_ptr& told = subscriptions_[key][who];
  told = current(key);
  return {outcome::subscribed, told};
}

bool core::unsubscribe(const any_key& key, subscriber_id who) {
  const auto found = subscriptions_.find(key);
  if (found == subscriptions_.end() || found->second.erase(who) == 0) return false;
  if (found->second.empty()) subscriptions_.erase(found);
  --subscription_count_;
  const auto keys = keys_of_.find(who);
  keys->second.erase(key);
  if (keys->second.empty()) keys_of_.erase(keys);
  return true;
}

void core::forget(subscriber_id who) {
  const auto keys = keys_of_.find(who);
  if (keys == keys_of_.end()) return;
  for (const any_key& key : std::set<any_key>{keys->second}) (void)unsubscribe(key, who);
}

}  // namespace muster::receptionist

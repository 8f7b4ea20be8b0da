#include "muster/gossip/assemblies.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "muster/gossip/stable_hash.hpp"

namespace muster::gossip {

assemblies::taken assemblies::add(const origin_id& from, chunk what, instant now) {
  auto found = assemblies_.find(what.origin.node);
  const bool is_new = found == assemblies_.end();
  if (is_new && assemblies_.size() >= how_.transfers_max) {
    return {};
  }
  if (!is_new) {
    const assembly& present = found->second;
    const bool is_same =
        present.source == from && present.origin == what.origin && present.at == what.at && present.count == what.count;
    const bool is_newer = present.source == from &&
                          std::pair{present.origin.life, present.at.at} < std::pair{what.origin.life, what.at.at};
    if (!is_same && !is_newer) {
      return {};
    }
    if (is_newer) {
      assemblies_.erase(found);
    }
  }
  found = assemblies_.try_emplace(what.origin.node).first;
  assembly& one = found->second;
  if (one.count == 0) {
    one.origin = what.origin;
    one.source = from;
    one.at = what.at;
    one.count = what.count;
    one.due = now + how_.transfer_timeout;
    one.next_to_ask = what.index == 0 ? 1 : 0;
  }
  const auto [kept_at, is_first] = one.chunks.try_emplace(what.index);
  if (!is_first) {
    return {};
  }
  one.due = now + how_.transfer_timeout;
  one.retries = 0;
  one.registrations += what.content.size();
  for (const registration& each : what.content) {
    one.checksum += hash_of(each.key.view(), each.what);
  }
  // One beyond the bound is kept, so that whoever installs the whole sees that there were more.
  const std::size_t room = how_.registrations_per_origin_max + 1 - one.kept;
  what.content.resize(std::min(what.content.size(), room));
  one.kept += what.content.size();
  kept_at->second = std::move(what.content);

  taken out;
  if (one.chunks.size() == one.count) {
    out.completed = join(std::move(one));
    assemblies_.erase(found);
    return out;
  }
  // The first chunk opens the window; each later one moves it on.
  const std::size_t wanted = one.chunks.size() == 1 ? how_.transfer_window_chunks : 1;
  want_chunks next{one.origin, one.at.at, {}};
  while (next.indexes.size() < wanted && one.next_to_ask < one.count) {
    next.indexes.push_back(one.next_to_ask++);
  }
  if (!next.indexes.empty()) {
    out.next = request{one.source, std::move(next)};
  }
  return out;
}

assemblies::whole assemblies::join(assembly&& all) {
  whole out{all.origin, all.at, {}, all.registrations == all.at.count && all.checksum == all.at.checksum};
  out.content.reserve(all.kept);
  for (auto& [index, content] : all.chunks) {
    std::ranges::move(content, std::back_inserter(out.content));
  }
  return out;
}

void assemblies::drop_from(const origin_id& source) {
  std::erase_if(assemblies_, [&](const auto& one) { return one.second.source == source; });
}

std::vector<assemblies::request> assemblies::ask_again(instant now, std::vector<given_up>& lost) {
  std::vector<request> out;
  for (auto i = assemblies_.begin(); i != assemblies_.end();) {
    assembly& one = i->second;
    if (one.due > now) {
      ++i;
      continue;
    }
    if (++one.retries > retries_max) {
      lost.push_back({one.origin, one.source});
      i = assemblies_.erase(i);
      continue;
    }
    one.due = now + how_.transfer_timeout;
    want_chunks missing{one.origin, one.at.at, {}};
    for (std::uint32_t index = 0; index < one.count && missing.indexes.size() < how_.transfer_window_chunks; ++index) {
      if (!one.chunks.contains(index)) {
        missing.indexes.push_back(index);
        one.next_to_ask = std::max(one.next_to_ask, index + 1);
      }
    }
    out.push_back({one.source, std::move(missing)});
    ++i;
  }
  return out;
}

instant assemblies::next_deadline() const {
  instant out = instant_never;
  for (const auto& [node, one] : assemblies_) {
    out = std::min(out, one.due);
  }
  return out;
}

}  // namespace muster::gossip

#include "muster/gossip/frozen_origins.hpp"

#include <algorithm>
#include <utility>

#include "muster/gossip/message_codec.hpp"

namespace muster::gossip {

std::size_t bytes_of_whole(const origin_table& table, const origin_record& origin, std::size_t enough) {
  std::size_t out = frame_bytes + encoded_bytes_max(origin.id);
  const registration_table& all = table.registrations();
  for (auto i = origin.held.first; i != registration_table::none && out <= enough; i = all.at(i).next_of_owner) {
    out += encoded_bytes_max({all.at(i).key, all.at(i).what});
  }
  return out;
}

chunk frozen_origins::first_chunk(const origin_table& table, const origin_record& origin, version at_least,
                                  instant now) {
  auto found = std::ranges::find(frozen_, origin.id, &frozen::origin);
  if (found != frozen_.end() && found->at.at >= std::min(at_least, origin.now.at) &&
      (found->at.at == origin.now.at || table.log().since(origin.last_logged, found->at.at))) {
    found->used = now;
    return cut(*found, 0);
  }
  if (found == frozen_.end()) {
    if (frozen_.size() >= how_.transfers_max) {
      frozen_.erase(std::ranges::min_element(frozen_, {}, &frozen::used));
    }
    frozen_.emplace_back();
    found = std::prev(frozen_.end());
  }
  *found = frozen{origin.id, origin.now, {}, {0}, now};
  found->all.reserve(origin.held.count);
  const std::size_t frame = frame_bytes + encoded_bytes_max(origin.id);
  std::size_t filled = frame;
  table.registrations().for_each_of(origin.held, [&](const registration_table::slot& slot) {
    registration one{slot.key, slot.what};
    const std::size_t size = encoded_bytes_max(one);
    if (filled + size > how_.message_bytes_max && filled > frame) {
      found->starts.push_back(found->all.size());
      filled = frame;
    }
    filled += size;
    found->all.push_back(std::move(one));
  });
  return cut(*found, 0);
}

std::optional<chunk> frozen_origins::chunk_of(const origin_id& origin, version at, std::uint32_t index, instant now) {
  const auto found = std::ranges::find(frozen_, origin, &frozen::origin);
  if (found == frozen_.end() || found->at.at != at || index >= found->starts.size()) {
    return std::nullopt;
  }
  found->used = now;
  return cut(*found, index);
}

chunk frozen_origins::cut(const frozen& from, std::uint32_t index) {
  const auto begin = from.all.begin() + static_cast<std::ptrdiff_t>(from.starts[index]);
  const auto end = index + 1 < from.starts.size()
                       ? from.all.begin() + static_cast<std::ptrdiff_t>(from.starts[index + 1])
                       : from.all.end();
  return {from.origin, from.at, index, static_cast<std::uint32_t>(from.starts.size()), {begin, end}};
}

void frozen_origins::drop(const node_id& node) {
  std::erase_if(frozen_, [&](const frozen& one) { return one.origin.node == node; });
}

void frozen_origins::expire(instant now) {
  std::erase_if(frozen_, [&](const frozen& one) { return one.used + how_.frozen_timeout <= now; });
}

}  // namespace muster::gossip

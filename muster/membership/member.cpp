#include "muster/membership/member.hpp"

#include <algorithm>
#include <utility>

namespace muster::membership {

namespace {

/// FNV-1a, 64 bits (draft-eastlake-fnv): simple to write down in a protocol.
std::uint64_t fnv1a(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

incarnation make_incarnation(std::uint64_t wall_clock_ms, prng& random, incarnation at_least) noexcept {
  constexpr unsigned chance_bits = 20;
  const std::uint64_t chance = random.below(std::uint64_t{1} << chance_bits);
  const std::uint64_t made = (wall_clock_ms << chance_bits) | chance;
  if (made >= at_least.value() && made != 0) {
    return incarnation{made};
  }
  // Two that come back above the same one should differ, too.
  return incarnation{std::max<std::uint64_t>(1, std::max(at_least.value(), at_least.value() + chance))};
}

std::uint64_t identity_key(std::string_view name, membership::incarnation of) noexcept {
  return mixed(fnv1a(name) ^ mixed(of.value()));
}

std::uint64_t mixed(std::uint64_t value) noexcept {
  value ^= value >> 30U;
  value *= 0xbf58476d1ce4e5b9U;
  value ^= value >> 27U;
  value *= 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint64_t text_key(std::string_view text) noexcept { return mixed(fnv1a(text)); }

member_ptr make_member(std::string_view name, incarnation of, std::string_view address, byte_view meta) {
  return std::make_shared<const member>(member{.name = std::string{name},
                                               .incarnation = of,
                                               .address = std::string{address},
                                               .meta = bytes{meta.begin(), meta.end()},
                                               .key = identity_key(name, of)});
}

member_ptr member_pool::share(std::string_view name, incarnation of, std::string_view address, byte_view meta) {
  const std::uint64_t key = identity_key(name, of);
  const auto [first, last] = known_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if (auto held = at->second.lock(); held && held->incarnation == of && held->name == name &&
                                       held->address == address && std::ranges::equal(held->meta, meta)) {
      return held;
    }
  }
  if (known_.size() >= forget_at_) {
    forget_unused();
  }
  auto made = make_member(name, of, address, meta);
  known_.emplace(key, made);
  return made;
}

void member_pool::forget_unused() {
  std::erase_if(known_, [](const auto& one) { return one.second.expired(); });
  forget_at_ = std::max<std::size_t>(1024, 2 * known_.size());
}

std::string_view to_string(member_state value) noexcept {
  switch (value) {
    case member_state::up: return "up";
    case member_state::unreachable: return "unreachable";
  }
  return "unknown";
}

}  // namespace muster::membership

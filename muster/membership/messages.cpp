#include "muster/membership/messages.hpp"

#include <algorithm>

#include "muster/membership/ready.hpp"
#include "muster/membership/status.hpp"

namespace muster::membership {

bool operator==(const claim& left, const claim& right) noexcept {
  return left.standing == right.standing && left.name == right.name && left.incarnation == right.incarnation &&
         left.counter == right.counter && left.address == right.address && std::ranges::equal(left.meta, right.meta) &&
         left.accuser == right.accuser && left.remembered_s == right.remembered_s;
}

bool operator==(const introduction& left, const introduction& right) noexcept {
  return left.cluster == right.cluster && left.versions == right.versions && left.address == right.address &&
         std::ranges::equal(left.meta, right.meta) && left.counter == right.counter;
}

bool may_come_from_stranger(const body& what) noexcept {
  return std::holds_alternative<hello>(what) || std::holds_alternative<refused>(what) ||
         std::holds_alternative<digest>(what) || std::holds_alternative<records>(what) ||
         std::holds_alternative<removed_notice>(what);
}

std::string_view to_string(standing value) noexcept {
  switch (value) {
    case standing::alive: return "alive";
    case standing::suspect: return "suspect";
    case standing::unreachable: return "unreachable";
    case standing::left: return "left";
    case standing::removed: return "removed";
  }
  return "unknown";
}

std::string_view to_string(refusal value) noexcept {
  switch (value) {
    case refusal::other_cluster: return "other_cluster";
    case refusal::no_common_version: return "no_common_version";
    case refusal::full: return "full";
  }
  return "unknown";
}

std::string_view to_string(event_kind value) noexcept {
  switch (value) {
    case event_kind::up: return "up";
    case event_kind::unreachable: return "unreachable";
    case event_kind::reachable: return "reachable";
    case event_kind::left: return "left";
    case event_kind::removed: return "removed";
  }
  return "unknown";
}

std::string_view to_string(phase value) noexcept {
  switch (value) {
    case phase::joining: return "joining";
    case phase::joined: return "joined";
    case phase::leaving: return "leaving";
    case phase::ended: return "ended";
  }
  return "unknown";
}

}  // namespace muster::membership

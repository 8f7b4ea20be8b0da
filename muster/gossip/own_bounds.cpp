#include "muster/gossip/own_bounds.hpp"

#include <cstddef>
#include <string_view>

namespace muster::gossip {
namespace {

result<void> check(std::string_view what, std::size_t size, std::size_t most) {
  if (size <= most) return {};
  return fail(errc::limit_exceeded, "the {} of a registration has {} bytes; at most {} are taken", what, size, most);
}

}  // namespace

result<void> judge_own(const options& bounds, const shared_text& key, const entry& what, std::int64_t count) {
  if (key.empty() || what.path.empty()) {
    return fail(errc::invalid_argument, "a registration needs a key and a path; the {} is empty",
                key.empty() ? "key" : "path");
  }
  if (auto fits = check("key", key.size(), bounds.key_bytes_max); !fits) return fits;
  if (auto fits = check("path", what.path.size(), bounds.path_bytes_max); !fits) return fits;
  if (auto fits = check("type", what.type.size(), bounds.type_bytes_max); !fits) return fits;
  if (count >= static_cast<std::int64_t>(bounds.registrations_per_origin_max)) {
    return fail(errc::limit_exceeded,
                "this node has {} registrations, as many as may be (registrations_per_origin_max)", count);
  }
  return {};
}

}  // namespace muster::gossip

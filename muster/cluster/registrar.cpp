#include "muster/cluster/registrar.hpp"

#include <utility>

namespace muster::cluster {
namespace {

result<void> check(std::string_view what, std::size_t size, std::size_t most) {
  if (size <= most) return {};
  return fail(errc::limit_exceeded, "the {} of a registration has {} bytes; at most {} are taken", what, size, most);
}

}  // namespace

result<void> registrar::add(const gossip::shared_text& key, const gossip::entry& what) {
  const gossip::options& bounds = node_->bounds();
  if (key.empty() || what.path.empty()) {
    return fail(errc::invalid_argument, "a registration needs a key and a path; the {} is empty",
                key.empty() ? "key" : "path");
  }
  if (auto fits = check("key", key.size(), bounds.key_bytes_max); !fits) return fits;
  if (auto fits = check("path", what.path.size(), bounds.path_bytes_max); !fits) return fits;
  if (auto fits = check("type", what.type.size(), bounds.type_bytes_max); !fits) return fits;
  if (const std::int64_t count = count_->load(std::memory_order_relaxed);
      count >= static_cast<std::int64_t>(bounds.registrations_per_origin_max)) {
    return fail(errc::limit_exceeded,
                "this node has {} registrations, as many as may be (registrations_per_origin_max)", count);
  }
  count_->fetch_add(1, std::memory_order_relaxed);
  waiting_.push_back({{key, what}, false});
  return {};
}

void registrar::remove(const gossip::shared_text& key, const gossip::entry& what) {
  count_->fetch_sub(1, std::memory_order_relaxed);
  waiting_.push_back({{key, what}, true});
}

void registrar::commit() {
  if (waiting_.empty()) {
    return;
  }
  const auto steps = std::make_shared<const std::vector<step>>(std::exchange(waiting_, {}));
  node_->change([steps, count = count_, on_refused = on_refused_](registrations& all) {
    for (const step& one : *steps) {
      if (one.removes) {
        // What was refused before has been taken from the count already.
        if (!all.remove(one.what.key, one.what.what)) count->fetch_add(1, std::memory_order_relaxed);
      } else if (const auto added = all.add(one.what.key, one.what.what); !added) {
        count->fetch_sub(1, std::memory_order_relaxed);
        if (*on_refused) (*on_refused)(one.what, added.error());
      }
    }
  });
}

}  // namespace muster::cluster

#include "muster/receptionist/local_directory.hpp"

#include "muster/gossip/own_bounds.hpp"

namespace muster::receptionist {

result<std::unique_ptr<local_directory>> local_directory::make(const gossip::options& bounds, std::string_view name) {
  if (auto sound = bounds.check(); !sound) return fail(std::move(sound).error());
  if (name.empty() || name.size() > bounds.node_bytes_max) {
    return fail(errc::invalid_argument, "the node's name has {} bytes; allowed are 1 to {}", name.size(),
                bounds.node_bytes_max);
  }
  return std::unique_ptr<local_directory>{new local_directory{bounds, gossip::node_id{name}}};
}

result<void> local_directory::add(const gossip::shared_text& key, const gossip::entry& what) {
  auto judged = gossip::judge_own(bounds_, key, what, count_);
  if (judged) ++count_;
  return judged;
}

void local_directory::remove(const gossip::shared_text&, const gossip::entry&) { --count_; }

}  // namespace muster::receptionist

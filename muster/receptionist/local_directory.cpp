#include "muster/receptionist/local_directory.hpp"

#include <utility>

namespace muster::receptionist {

result<std::unique_ptr<local_directory>> local_directory::make(const gossip::options& how, gossip::origin_id self,
                                                               instant now) {
  std::unique_ptr<local_directory> out{new local_directory};
  auto store = gossip::core::make(how, std::move(self), out->random_, now);
  if (!store) return fail(std::move(store).error());
  out->store_ = *std::move(store);
  return out;
}

result<void> local_directory::add(const gossip::shared_text& key, const gossip::entry& what) {
  auto added = store_->add(key, what);
  if (!added) return fail(std::move(added).error());
  return {};
}

void local_directory::remove(const gossip::shared_text& key, const gossip::entry& what) {
  (void)store_->remove(key, what);
}

void local_directory::commit() {
  // There is nobody to send it to; taken all the same, so that it does not pile up.
  (void)store_->poll_ready();
}

}  // namespace muster::receptionist

#include "muster/ice/cluster_servant.hpp"

#include <mutex>

#include "muster/ice/byte_servant.hpp"
#include "muster/ice/node_certificate.hpp"

namespace muster::ice {

std::shared_ptr<const std::string> peer_names::of(const Ice::ConnectionPtr& connection) {
  {
    const std::shared_lock lock{mutex_};
    if (const auto known = by_connection_.find(connection.get()); known != by_connection_.end()) return known->second;
  }
  const auto read = node_name_in_certificate(connection);
  auto name = read ? std::make_shared<const std::string>(*read) : nullptr;
  {
    const std::lock_guard lock{mutex_};
    by_connection_.insert_or_assign(connection.get(), name);
  }
  // Called at once where it is closed already. As long as that has not been done, no other connection can be there.
  connection->setCloseCallback([weak = weak_from_this()](const Ice::ConnectionPtr& closed) {
    if (const auto self = weak.lock()) {
      const std::lock_guard lock{self->mutex_};
      self->by_connection_.erase(closed.get());
    }
  });
  return name;
}

cluster_servant::cluster_servant(std::shared_ptr<link_context> context)
    : context_{std::move(context)}, names_{std::make_shared<peer_names>()} {}

void cluster_servant::deliverAsync(std::pair<const Ice::Byte*, const Ice::Byte*> content,
                                   std::function<void()> response, std::function<void(std::exception_ptr)> /*error*/,
                                   const Ice::Current& current) {
  take(to_view(content), current);
  response();
}

void cluster_servant::take(byte_view content, const Ice::Current& current) {
  if (content.size() > context_->frame_bytes_max) {
    ++context_->counted.oversized;
    return;
  }
  if (!context_->is_secure) {
    context_->receiver.frame({content.begin(), content.end()}, {});
    return;
  }
  const auto name = current.con ? names_->of(current.con) : nullptr;
  if (name == nullptr) {
    // An empty name would mean that nobody vouches for names here.
    if (++context_->counted.unnamed == 1) {
      context_->log.write(event{severity::warning, "node_unnamed"}.with(
          "why",
          "a peer's certificate has neither an alternative name 'URI:muster:NAME' nor a CN; what it says is "
          "dropped"));
    }
    return;
  }
  context_->receiver.frame({content.begin(), content.end()}, *name);
}

}  // namespace muster::ice

#include "muster/ice/channel_links.hpp"

#include <utility>

#include "muster/ice/cluster_address.hpp"

namespace muster::ice {

using cluster::send_outcome;

channel_links::channel_links(std::shared_ptr<link_context> context, Ice::CommunicatorPtr communicator,
                             std::size_t in_flight_bytes_max)
    : context_{std::move(context)}, communicator_{std::move(communicator)}, in_flight_bytes_max_{in_flight_bytes_max} {}

send_outcome channel_links::send(const std::string& address, const cluster::shared_frame& frame) {
  while (true) {
    const auto link = find_or_make(address);
    if (!link) return send_outcome::accepted;  // and lost: nothing that a later attempt would change
    switch (link->send(frame)) {
      case cluster_link::taken::accepted: return send_outcome::accepted;
      case cluster_link::taken::refused: ++context_->counted.refused; return send_outcome::refused;
      case cluster_link::taken::retired: break;  // its successor takes it
    }
  }
}

bool channel_links::has_room(const std::string& address, std::size_t frame_bytes) const {
  const auto link = find(address);
  return link ? link->has_room(frame_bytes) : cluster_link::has_room(0, frame_bytes, in_flight_bytes_max_);
}

std::size_t channel_links::in_flight_bytes(const std::string& address) const {
  const auto link = find(address);
  return link ? link->in_flight_bytes() : 0;
}

void channel_links::check_name(const std::string& address) {
  if (const auto link = find(address)) link->check_name();
}

void channel_links::close() {
  for (const auto& link : all()) link->close();
}

void channel_links::abort() {
  for (const auto& link : all()) link->abort();
}

std::vector<std::shared_ptr<cluster_link>> channel_links::all() const {
  std::vector<std::shared_ptr<cluster_link>> out;
  const std::lock_guard lock{mutex_};
  for (const auto& [address, link] : links_) out.push_back(link);
  return out;
}

std::shared_ptr<cluster_link> channel_links::find(const std::string& address) const {
  const std::lock_guard lock{mutex_};
  const auto known = links_.find(address);
  return known == links_.end() ? nullptr : known->second;
}

std::shared_ptr<cluster_link> channel_links::find_or_make(const std::string& address) {
  if (auto known = find(address)) return known;
  // Addresses come from other nodes: nothing but what an address may be reaches the run time.
  const auto read = parse_cluster_address(address);
  if (!read || read->is_encrypted != context_->is_secure) {
    ++context_->counted.unreadable_addresses;
    context_->note_failure("node_address_not_usable", address,
                           !read                 ? read.error().message
                           : context_->is_secure ? "this node speaks with others over TLS only"
                                                 : "this node does not speak over TLS: it listens without");
    return nullptr;
  }
  const std::lock_guard lock{mutex_};
  auto& link = links_[address];
  if (!link) {
    link = std::make_shared<cluster_link>(context_, communicator_, address, read->text, in_flight_bytes_max_,
                                          [weak = weak_from_this()](const std::shared_ptr<cluster_link>& idle) {
                                            if (const auto self = weak.lock()) self->handle_idle(idle);
                                          });
  }
  return link;
}

void channel_links::handle_idle(const std::shared_ptr<cluster_link>& link) {
  const std::lock_guard lock{mutex_};
  const auto known = links_.find(link->address());
  if (known != links_.end() && known->second == link && link->try_retire()) links_.erase(known);
}

}  // namespace muster::ice

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <Ice/Ice.h>

#include "muster/cluster/transport.hpp"
#include "muster/ice/cluster_link.hpp"
#include "muster/ice/link_context.hpp"

namespace muster::ice {

/// The outgoing connections of one channel, with a communicator of their own. Any thread. Inside the folder only.
class channel_links final : public std::enable_shared_from_this<channel_links> {
 public:
  channel_links(std::shared_ptr<link_context> context, Ice::CommunicatorPtr communicator,
                std::size_t in_flight_bytes_max);

  [[nodiscard]] cluster::send_outcome send(const std::string& address, const cluster::shared_frame& frame);
  [[nodiscard]] bool has_room(const std::string& address, std::size_t frame_bytes) const;
  [[nodiscard]] std::size_t in_flight_bytes(const std::string& address) const;
  /// The name that is expected there has changed.
  void check_name(const std::string& address);
  /// Every connection closes when what waits for it has left.
  void close();
  /// Every connection that is still there ends now. After `close`.
  void abort();
  [[nodiscard]] const Ice::CommunicatorPtr& communicator() const noexcept { return communicator_; }

 private:
  [[nodiscard]] std::shared_ptr<cluster_link> find(const std::string& address) const;
  /// Null when the address cannot be one.
  [[nodiscard]] std::shared_ptr<cluster_link> find_or_make(const std::string& address);
  [[nodiscard]] std::vector<std::shared_ptr<cluster_link>> all() const;
  void handle_idle(const std::shared_ptr<cluster_link>& link);

  const std::shared_ptr<link_context> context_;
  const Ice::CommunicatorPtr communicator_;
  const std::size_t in_flight_bytes_max_;
  mutable std::mutex mutex_;  // held while a link is asked whether it may retire, which takes its own
  std::unordered_map<std::string, std::shared_ptr<cluster_link>> links_;
};

}  // namespace muster::ice

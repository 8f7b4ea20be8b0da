#pragma once

#include <memory>

#include "muster/base/event.hpp"
#include "muster/config/property_map.hpp"
#include "muster/message/ice_streams.hpp"

namespace muster::ice {

/// Streams by a communicator of their own, which is made when the first message is read that needs one, within some
/// milliseconds: the proxies in messages are of this communicator, and it ends with the streams. Apart from a node's
/// transport, so that calls by these proxies share no connection, thread or bound with it.
class message_streams final : public message::ice_streams {
 public:
  /// Of the properties those of Ice and IceSSL count that say how proxies are made and called, and what instances may
  /// be: Ice.AcceptClassCycles and Ice.ClassGraphDepthMax. To connect takes 3 s at most and to close 1 s, unless
  /// Ice.Override.ConnectTimeout and Ice.Override.CloseTimeout say otherwise. Nothing is looked at yet: what Ice
  /// refuses is an error in the log, once, and makes messages with proxies or instances undecodable.
  message_streams(const config::property_map& properties, std::shared_ptr<event_log> log);
  /// Waits until what runs on the communicator's threads is done. Not on one of these.
  ~message_streams() override;

  [[nodiscard]] std::unique_ptr<Ice::InputStream> over(byte_view content) const override;

 private:
  class parts;
  const std::unique_ptr<parts> parts_;
};

}  // namespace muster::ice

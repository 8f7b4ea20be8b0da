#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include <Ice/Ice.h>
#include <Muster/Cluster.h>

#include "muster/ice/link_context.hpp"

namespace muster::ice {

/// The names in the certificates of those who have connected, read once for each connection. Any thread. Inside the
/// folder only.
class peer_names : public std::enable_shared_from_this<peer_names> {
 public:
  /// Null: the certificate has none.
  [[nodiscard]] std::shared_ptr<const std::string> of(const Ice::ConnectionPtr& connection);

 private:
  std::shared_mutex mutex_;  // never held while the run time is called
  std::unordered_map<const Ice::Connection*, std::shared_ptr<const std::string>> by_connection_;
};

/// What a node serves for others: copies what comes, and hands it over. It never waits. Inside the folder only.
class cluster_servant final : public Muster::ClusterNode {
 public:
  explicit cluster_servant(std::shared_ptr<link_context> context);

  void deliverAsync(std::pair<const Ice::Byte*, const Ice::Byte*> content, std::function<void()> response,
                    std::function<void(std::exception_ptr)> error, const Ice::Current& current) override;

 private:
  void take(byte_view content, const Ice::Current& current);

  const std::shared_ptr<link_context> context_;
  const std::shared_ptr<peer_names> names_;
};

}  // namespace muster::ice

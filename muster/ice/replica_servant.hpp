#pragma once

#include <memory>

#include <Muster/Replica.h>

namespace muster::ice {

class replica_transport;

/// What a replica serves for the others: it hands everything to the transport and the service, and never waits.
class replica_servant final : public Muster::Replica {
 public:
  explicit replica_servant(std::weak_ptr<replica_transport> for_transport) : transport_{std::move(for_transport)} {}

  void deliverAsync(Muster::Message content, std::function<void()> response,
                    std::function<void(std::exception_ptr)> exception, const Ice::Current& current) override;
  void setAdapterAsync(std::string adapter_id, std::string replica_group_id, Muster::EncodedProxy direct,
                       std::function<void()> response, std::function<void(std::exception_ptr)> exception,
                       const Ice::Current& current) override;
  void setServerProcessAsync(std::string server_id, Muster::EncodedProxy process, std::function<void()> response,
                             std::function<void(std::exception_ptr)> exception, const Ice::Current& current) override;
  void shutdownAsync(std::function<void()> response, std::function<void(std::exception_ptr)> exception,
                     const Ice::Current& current) override;

 private:
  /// Hands the registration that `make` makes of the decoded proxy to the service.
  template <typename Make>
  void take_registration(const Muster::EncodedProxy& encoded, const Make& make, std::function<void()> response,
                         std::function<void(std::exception_ptr)> exception, const Ice::Current& current);

  std::weak_ptr<replica_transport> transport_;
};

}  // namespace muster::ice

#pragma once

#include <atomic>
#include <memory>

#include <Ice/Ice.h>
#include <MusterTest/parts.h>

namespace muster::tests {

/// A program of Ice with one object, which counts how often it is called.
class gate_program {
 public:
  gate_program() : communicator_{Ice::initialize()} {
    const auto adapter = communicator_->createObjectAdapterWithEndpoints("gates", "tcp -h 127.0.0.1");
    proxy_ = Ice::uncheckedCast<MusterTest::GatePrx>(adapter->addWithUUID(servant_));
    adapter->activate();
  }
  gate_program(const gate_program&) = delete;
  gate_program& operator=(const gate_program&) = delete;
  ~gate_program() { communicator_->destroy(); }

  [[nodiscard]] const std::shared_ptr<MusterTest::GatePrx>& proxy() const noexcept { return proxy_; }
  [[nodiscard]] int opened() const noexcept { return servant_->opened; }

 private:
  struct gate final : MusterTest::Gate {
    void open(const Ice::Current&) override { ++opened; }
    std::atomic<int> opened{0};
  };

  const std::shared_ptr<gate> servant_{std::make_shared<gate>()};
  const Ice::CommunicatorPtr communicator_;
  std::shared_ptr<MusterTest::GatePrx> proxy_;
};

}  // namespace muster::tests

#include "bench/constant_servant.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <Ice/Ice.h>
#include <fmt/format.h>

namespace muster::bench {

namespace {

class constant_servant : public Ice::BlobjectArray {
 public:
  explicit constant_servant(std::vector<Ice::Byte> reply) : reply_{std::move(reply)} {}

  bool ice_invoke(std::pair<const Ice::Byte*, const Ice::Byte*>, std::vector<Ice::Byte>& out,
                  const Ice::Current&) override {
    out = reply_;
    return true;
  }

 private:
  const std::vector<Ice::Byte> reply_;
};

std::vector<Ice::Byte> reply_of(const Ice::CommunicatorPtr& communicator) {
  Ice::OutputStream out{communicator};
  out.startEncapsulation();
  out.write(communicator->stringToProxy("object-0000000:tcp -h 127.0.0.1 -p 10000"));
  out.endEncapsulation();
  std::vector<Ice::Byte> bytes;
  out.finished(bytes);
  return bytes;
}

}  // namespace

int serve_constant(std::uint16_t port) {
  Ice::InitializationData start;
  start.properties = Ice::createProperties();
  start.properties->setProperty("Constant.Endpoints", fmt::format("tcp -h 127.0.0.1 -p {}", port));
  start.properties->setProperty("Constant.ThreadPool.Size", "1");
  const Ice::CommunicatorHolder communicator{Ice::initialize(start)};
  const auto adapter = communicator->createObjectAdapter("Constant");
  adapter->add(std::make_shared<constant_servant>(reply_of(communicator.communicator())), {"Locator", "Bench"});
  adapter->activate();
  communicator->waitForShutdown();
  return 0;
}

}  // namespace muster::bench

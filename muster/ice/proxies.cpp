#include "muster/ice/proxies.hpp"

#include <utility>
#include <vector>

#include "muster/base/invariant.hpp"

namespace muster::ice {

catalog::encoded_proxy to_encoded(const std::shared_ptr<Ice::ObjectPrx>& proxy) {
  if (!proxy) return {};
  Ice::OutputStream out{proxy->ice_getCommunicator(), Ice::Encoding_1_1};
  out.write(proxy);
  const auto content = out.finished();
  auto read = catalog::encoded_proxy::read(
      {reinterpret_cast<const std::uint8_t*>(content.first), static_cast<std::size_t>(content.second - content.first)});
  MUSTER_INVARIANT(read.has_value(), "a proxy that the run time writes is one that we read");
  return *std::move(read);
}

result<std::shared_ptr<Ice::ObjectPrx>> to_proxy(const Ice::CommunicatorPtr& communicator, byte_view encoded) {
  const auto* begin = reinterpret_cast<const Ice::Byte*>(encoded.data());
  try {
    Ice::InputStream in{communicator, Ice::Encoding_1_1, std::pair{begin, begin + encoded.size()}};
    std::shared_ptr<Ice::ObjectPrx> proxy;
    in.read(proxy);
    return proxy;
  } catch (const Ice::Exception& refused) {
    return fail(errc::corrupt, "a stored proxy is not one that Ice takes: {}", refused.what());
  }
}

catalog::encoded_proxy published_endpoints(const Ice::ObjectAdapterPtr& adapter) {
  if (!adapter) return {};
  return to_encoded(adapter->createDirectProxy({"endpoints", ""}));
}

}  // namespace muster::ice

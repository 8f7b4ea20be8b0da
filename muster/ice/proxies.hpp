#pragma once

#include <memory>

#include <Ice/Ice.h>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/encoded_proxy.hpp"

namespace muster::ice {

/// Between proxies of the run time, which belong to a communicator, and their bytes, which the rest of the program
/// keeps.
[[nodiscard]] catalog::encoded_proxy to_encoded(const std::shared_ptr<Ice::ObjectPrx>& proxy);

/// Null for the null proxy. The bytes must be one proxy, as those of an `encoded_proxy` are; what the run time does not
/// take in spite of that (a protocol of the future, say) is `corrupt`.
[[nodiscard]] result<std::shared_ptr<Ice::ObjectPrx>> to_proxy(const Ice::CommunicatorPtr& communicator,
                                                               byte_view encoded);

/// A direct proxy with the published endpoints of an adapter, as the well-known objects are made of. Its identity does
/// not matter. Null for a null adapter.
[[nodiscard]] catalog::encoded_proxy published_endpoints(const Ice::ObjectAdapterPtr& adapter);

}  // namespace muster::ice

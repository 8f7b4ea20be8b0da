#pragma once

#include <functional>
#include <memory>
#include <string>

#include <Ice/Ice.h>

#include "muster/base/result.hpp"

namespace muster::ice {

/// Asks an object for its most derived type (`ice_id`): what `Admin::addObject` stores with it. Does not wait; `then`
/// is called once, within `timeout_ms`, on a thread of the run time.
void probe_type(std::shared_ptr<Ice::ObjectPrx> object, const std::shared_ptr<Ice::LocatorPrx>& locator, int timeout_ms,
                std::function<void(result<std::string> type)> then);

}  // namespace muster::ice

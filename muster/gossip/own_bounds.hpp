#pragma once

#include <cstdint>

#include "muster/base/result.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/messages.hpp"
#include "muster/gossip/options.hpp"

namespace muster::gossip {

/// Judges one more registration of a node by the bounds that hold for that node alone; `count` is how many it has. For
/// those who keep account of a node's own registrations outside of its core. `invalid_argument` for one without a key
/// or path, `limit_exceeded` naming the bound.
[[nodiscard]] result<void> judge_own(const options& bounds, const shared_text& key, const entry& what,
                                     std::int64_t count);

}  // namespace muster::gossip

#pragma once

#include <optional>
#include <string_view>

#include "muster/base/event.hpp"
#include "muster/replication/messages.hpp"

namespace muster::registry {

/// Which way a message between replicas goes, seen from here.
enum class traffic { sent, received };

/// The line that `IceGrid.Registry.Trace.Replica` shows of a message at this level, if any. At 2: what makes and ends
/// the sessions of replicas, refusals among them. At 3: keep-alives too, which are an `append` without changes, and all
/// acknowledgements, which answer them. Sessions that were made and lost are in the log at every level.
[[nodiscard]] std::optional<event> trace_of(const replication::message& what, traffic way, replication::peer_id peer,
                                            int level);

}  // namespace muster::registry

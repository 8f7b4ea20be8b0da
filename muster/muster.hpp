#pragma once

/// All that a program needs to have actors, to join a cluster and to use its receptionist. docs/guide-actors.md,
/// docs/guide-cluster.md and docs/guide-receptionist.md say how.

#include "muster/actor/actor_system.hpp"
#include "muster/actor/ask.hpp"
#include "muster/actor/conflated_ref.hpp"
#include "muster/cluster/node.hpp"
#include "muster/message/codec.hpp"
#include "muster/os/actor_pool.hpp"
#include "muster/os/configuration_file.hpp"
#include "muster/receptionist/group_router.hpp"
#include "muster/receptionist/receptionist.hpp"
#include "muster/receptionist/service_key.hpp"
#include "muster/runtime/join.hpp"

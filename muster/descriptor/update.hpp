#pragma once

#include "muster/descriptor/slice_types.hpp"

namespace muster::descriptor {

/// The application that `update` makes of `before`, as `Admin::updateApplication` defines it: what is to be removed
/// goes (and what is not there need not), what is given replaces what has the same name, and the rest is appended. An
/// instance of a server template goes by the id of the server that it makes.
///
/// The result shares the class instances of both and is not validated.
[[nodiscard]] IceGrid::ApplicationDescriptor apply_update(const IceGrid::ApplicationDescriptor& before,
                                                          const IceGrid::ApplicationUpdateDescriptor& update);

}  // namespace muster::descriptor

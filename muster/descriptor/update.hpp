#pragma once

#include "muster/base/result.hpp"

namespace IceGrid {
struct ApplicationDescriptor;
struct ApplicationUpdateDescriptor;
}  // namespace IceGrid

namespace muster::descriptor {

/// The application that `update` makes of `before`, as `Admin::updateApplication` defines it: what is to be removed
/// goes first, what is given replaces what has the same name, and the rest is appended. The result shares the class
/// instances of both and is not validated. `invalid_argument` if something to be removed or changed is not there.
[[nodiscard]] result<IceGrid::ApplicationDescriptor> apply_update(const IceGrid::ApplicationDescriptor& before,
                                                                  const IceGrid::ApplicationUpdateDescriptor& update);

}  // namespace muster::descriptor

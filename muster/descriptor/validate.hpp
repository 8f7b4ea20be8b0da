#pragma once

#include "muster/base/result.hpp"
#include "muster/descriptor/slice_types.hpp"

namespace muster::descriptor {

/// Whether an application is fit to be stored, by itself: whatever has to have a name has one, nothing is defined
/// twice, and the templates referred to are defined. `invalid_argument` names the first thing that is wrong and where
/// it stands. A clash with other applications, and a replica group that none defines, are the catalog's to find.
[[nodiscard]] result<void> validate(const IceGrid::ApplicationDescriptor& application);

}  // namespace muster::descriptor

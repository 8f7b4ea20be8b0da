#pragma once

#include <functional>
#include <string_view>

#include "muster/base/result.hpp"

namespace muster::os {

/// Runs `work` in a copy of this process (fork(2)) and gives its result; what it changes in memory stays there. Where
/// the copy dies of a signal the result is `corrupt`, "`what` ended by signal …": damaged files read through a map can
/// do that. To be called while this process has one thread.
[[nodiscard]] result<void> run_apart(std::string_view what, const std::function<result<void>()>& work);

}  // namespace muster::os

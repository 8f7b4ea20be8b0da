#pragma once

#include <string>

#include "muster/base/event.hpp"

namespace muster::os {

/// One event as `event=name key=value …`, in one line whatever the values hold: a value with a blank, quote, equals
/// sign or control character stands in double quotes, with \n, \t, \", \\ and \xNN inside. Values beyond 4,096 bytes
/// are cut, and the line says how long they were, so that no peer fills the log with one name.
[[nodiscard]] std::string to_log_line(const event& what);

}  // namespace muster::os

#pragma once

#include <string_view>

namespace muster::os {

// What the service manager is told (sd_notify(3)). Without one, or built without systemd, these do nothing.

/// The replica serves; `status` is what `systemctl status` shows.
void notify_ready(std::string_view status);
/// A new line for `systemctl status`, for example a slave that has lost its master.
void notify_status(std::string_view status);
void notify_stopping();

}  // namespace muster::os

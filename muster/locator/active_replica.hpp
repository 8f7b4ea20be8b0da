#pragma once

#include <string>

#include "muster/catalog/encoded_proxy.hpp"

namespace muster::locator {

/// An active replica as the set of well-known objects needs it. The proxies are direct ones with the published
/// endpoints of one object adapter each; their identity does not matter. Null: that adapter is not configured.
struct active_replica {
  std::string name{};
  bool is_master{false};
  catalog::encoded_proxy client{};
  catalog::encoded_proxy server{};
  catalog::encoded_proxy internal{};
  catalog::encoded_proxy session_manager{};
  catalog::encoded_proxy admin_session_manager{};
  /// Whether it has the user account mapper (on its internal endpoints).
  bool has_user_account_mapper{false};

  friend bool operator==(const active_replica&, const active_replica&) = default;
};

}  // namespace muster::locator

#include "muster/registry/registration.hpp"

#include <utility>

#include <fmt/format.h>

namespace muster::registry {
namespace {

template <typename... Args>
tl::unexpected<registration_refusal> refuse(registration_failure why, fmt::format_string<Args...> sentence,
                                            Args&&... args) {
  return tl::unexpected<registration_refusal>{{why, fmt::format(sentence, std::forward<Args>(args)...)}};
}

}  // namespace

registration_outcome may_register(const catalog::state& now, const adapter_registration& what,
                                  bool dynamic_registration) {
  if (what.adapter_id.empty()) {
    return refuse(registration_failure::adapter_unknown,
                  "an adapter was to be registered under an empty id; a server sets it by '<adapter>.AdapterId'");
  }
  if (const auto* deployed = now.find_deployed_adapter(what.adapter_id)) {
    return refuse(registration_failure::adapter_unknown,
                  "adapter '{}' belongs to server '{}' of application '{}', which no active node runs", what.adapter_id,
                  deployed->entry.server, deployed->application->text());
  }
  if (!dynamic_registration && now.find_adapter(what.adapter_id) == nullptr) {
    return refuse(registration_failure::adapter_unknown,
                  "no application describes adapter '{}', and dynamic registration is off; "
                  "IceGrid.Registry.DynamicRegistration=1 on the master allows it",
                  what.adapter_id);
  }
  if (now.find_replica_group(what.adapter_id) != nullptr) {
    return refuse(registration_failure::adapter_unknown, "'{}' is the id of a replica group and cannot be an adapter's",
                  what.adapter_id);
  }
  if (what.replica_group_id.empty()) return {};
  if (what.replica_group_id == what.adapter_id) {
    return refuse(registration_failure::replica_group_invalid, "adapter '{}' cannot be its own replica group",
                  what.adapter_id);
  }
  if (now.find_adapter(what.replica_group_id) != nullptr ||
      now.find_deployed_adapter(what.replica_group_id) != nullptr) {
    return refuse(registration_failure::replica_group_invalid,
                  "'{}' is the id of an adapter and cannot be the replica group of adapter '{}'", what.replica_group_id,
                  what.adapter_id);
  }
  if (const auto* group = now.find_replica_group(what.replica_group_id); group != nullptr && group->is_deployed()) {
    return refuse(registration_failure::replica_group_invalid,
                  "replica group '{}' is deployed by application '{}', so adapter '{}' cannot join it by itself",
                  what.replica_group_id, group->deployment->application->text(), what.adapter_id);
  }
  return {};
}

registration_refusal to_refusal(const error& cause, const adapter_registration& what) {
  const auto of_code = [&] {
    switch (cause.code) {
      case errc::outcome_unknown:
      case errc::io_error: return registration_failure::outcome_unknown;
      case errc::not_found:
      case errc::already_exists:
      case errc::invalid_argument: return registration_failure::adapter_unknown;
      case errc::conflict:
        return what.replica_group_id.empty() ? registration_failure::adapter_unknown
                                             : registration_failure::replica_group_invalid;
      case errc::locked:
      case errc::permission_denied:
      case errc::not_master:
      case errc::unavailable:
      case errc::timed_out:
      case errc::limit_exceeded:
      case errc::storage_full:
      case errc::corrupt:
      case errc::incompatible:
      case errc::unsupported: return registration_failure::unavailable;
    }
    return registration_failure::unavailable;
  };
  return {of_code(), cause.message};
}

}  // namespace muster::registry

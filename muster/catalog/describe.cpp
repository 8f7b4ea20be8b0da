#include <IceGrid/Descriptor.h>

#include "muster/catalog/change.hpp"

namespace muster::catalog {

namespace {

/// What a proxy is good for, without a communicator to print its endpoints.
[[nodiscard]] std::string brief(const encoded_proxy& proxy) {
  const auto view = proxy.view();
  if (view.is_null()) return "null";
  if (view.has_endpoints()) return fmt::format("`{}' at {} endpoint(s)", to_text(view.identity), view.endpoint_count);
  if (view.adapter_id.empty()) return fmt::format("`{}'", to_text(view.identity));
  return fmt::format("`{}' @ `{}'", to_text(view.identity), view.adapter_id);
}

struct describer {
  std::string operator()(const add_object& one) const {
    return fmt::format("add object {} of type `{}'", brief(one.proxy), one.type);
  }
  std::string operator()(const update_object& one) const { return fmt::format("update object {}", brief(one.proxy)); }
  std::string operator()(const remove_object& one) const {
    return fmt::format("remove object `{}'", to_text(view_of(one.id)));
  }
  std::string operator()(const set_adapter& one) const {
    if (one.replica_group.empty()) return fmt::format("register adapter `{}' as {}", one.id, brief(one.proxy));
    return fmt::format("register adapter `{}' of replica group `{}' as {}", one.id, one.replica_group,
                       brief(one.proxy));
  }
  std::string operator()(const unset_adapter& one) const { return fmt::format("deregister adapter `{}'", one.id); }
  std::string operator()(const remove_adapter& one) const {
    return fmt::format("remove adapter or replica group `{}'", one.id);
  }
  std::string operator()(const add_application& one) const {
    return fmt::format("add application `{}' by `{}'", one.descriptor->name, one.by.user);
  }
  std::string operator()(const sync_application& one) const {
    return fmt::format("sync application `{}' by `{}'", one.descriptor->name, one.by.user);
  }
  std::string operator()(const update_application& one) const {
    return fmt::format("update application `{}' by `{}'", one.update->name, one.by.user);
  }
  std::string operator()(const remove_application& one) const {
    return fmt::format("remove application `{}'", one.name);
  }
};

}  // namespace

std::string describe(const change& one) { return std::visit(describer{}, one); }

}  // namespace muster::catalog

#pragma once

#include <string_view>

#include "muster/catalog/state.hpp"

namespace muster::catalog {

/// Changes a state record by record and keeps its indexes in step: the types of objects, the members of groups, what
/// applications deploy. It judges nothing: `apply` and `loader` have done so before.
class state_editor {
 public:
  explicit state_editor(state& edited) noexcept : edited_{edited} {}

  /// The name of a type, shared with the objects that have it already.
  [[nodiscard]] ref<interned> intern_type(std::string_view type) const;

  /// Insert, or replace the one of that name, which is given back.
  ref<object> put_object(const ref<object>& one);
  ref<adapter> put_adapter(const ref<adapter>& one);

  void erase_object(identity_view id);
  void erase_adapter(std::string_view id);

  /// Inserts an application with all that it deploys, or replaces the one of its name. Groups that both deploy keep the
  /// members that other applications gave them.
  void put_application(const ref<application>& one);
  void erase_application(std::string_view name);

 private:
  void drop_from_type(const object& one);
  void drop_from_group(const adapter& one);
  void deploy(const application& one);
  void undeploy(const application& one);
  void deploy_objects(const std::vector<descriptor::object_entry>& objects, std::string_view adapter_id,
                      const ref<interned>& application_name);

  state& edited_;
};

}  // namespace muster::catalog

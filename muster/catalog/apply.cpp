#include "muster/catalog/apply.hpp"

#include <algorithm>
#include <utility>

#include "muster/catalog/apply_application.hpp"
#include "muster/catalog/row_codec.hpp"
#include "muster/catalog/state_editor.hpp"

namespace muster::catalog {

namespace {

/// The refusal to touch an object that an application defines.
[[nodiscard]] result<void> refuse_deployed(std::string_view deed, const object& there) {
  return fail(errc::conflict,
              "{} object `{}' is not allowed: the object was added with the application descriptor `{}'", deed,
              to_text(there.identity()), there.application());
}

[[nodiscard]] result<void> refuse_unknown(identity_view id) {
  return fail(errc::not_found, "object `{}' is not registered", to_text(id));
}

/// Each function judges the whole change before it touches anything.
class applier {
 public:
  applier(state& current, std::uint64_t serial, std::vector<row>& rows) noexcept
      : current_{current}, editor_{current}, serial_{serial}, rows_{rows} {}

  [[nodiscard]] result<void> operator()(const add_object& one) {
    const auto id = trusted_identity(one.proxy.content());
    if (id.is_none()) return fail(errc::invalid_argument, "proxy is null");
    if (id.name.empty()) return fail(errc::invalid_argument, "the identity of an object needs a name");
    if (current_.find_object(id) != nullptr || current_.find_allocatable(id) != nullptr) {
      return fail(errc::already_exists, "object `{}' is already registered", to_text(id));
    }
    put(object::make(editor_.intern_type(one.type), one.proxy.content(), serial_));
    return {};
  }

  [[nodiscard]] result<void> operator()(const update_object& one) {
    const auto id = trusted_identity(one.proxy.content());
    if (id.is_none()) return fail(errc::invalid_argument, "proxy is null");
    const auto* there = current_.find_object(id);
    if (there == nullptr) return refuse_unknown(id);
    if (there->is_deployed()) return refuse_deployed("updating", *there);
    put(object::make(there->type_ref(), one.proxy.content(), there->row_key()));
    return {};
  }

  [[nodiscard]] result<void> operator()(const remove_object& one) {
    const auto* there = current_.find_object(view_of(one.id));
    if (there == nullptr) return refuse_unknown(view_of(one.id));
    if (there->is_deployed()) return refuse_deployed("removing", *there);
    rows_.push_back(erasure(table::objects, there->row_key()));
    editor_.erase_object(view_of(one.id));
    return {};
  }

  [[nodiscard]] result<void> operator()(const set_adapter& one) {
    if (one.id.empty()) return fail(errc::invalid_argument, "the id of an adapter must not be empty");
    if (auto free = check_adapter_is_dynamic(one.id); !free) return free;
    if (const auto application = deploying_application(one.replica_group); !application.empty()) {
      return fail(
          errc::conflict,
          "registering adapter `{}' with the replica group `{}' is not allowed: the replica group was added with "
          "the application descriptor `{}', and only adapters specified in an application descriptor can be "
          "members of it",
          one.id, one.replica_group, application);
    }
    const auto* there = current_.find_adapter(one.id);
    put(adapter::make(one.id, one.replica_group, one.proxy.content(), there != nullptr ? there->row_key() : serial_));
    return {};
  }

  [[nodiscard]] result<void> operator()(const unset_adapter& one) {
    if (auto free = check_adapter_is_dynamic(one.id); !free) return free;
    if (const auto* there = current_.find_adapter(one.id); there != nullptr) erase(*there);
    return {};
  }

  [[nodiscard]] result<void> operator()(const remove_adapter& one) {
    if (const auto application = deploying_application(one.id); !application.empty()) {
      return fail(errc::conflict,
                  "removing adapter `{}' is not allowed: the adapter was added with the application descriptor `{}'",
                  one.id, application);
    }
    if (const auto* there = current_.find_adapter(one.id); there != nullptr) {
      erase(*there);
      return {};
    }
    const auto* group = current_.find_replica_group(one.id);
    if (group == nullptr) return fail(errc::not_found, "adapter `{}' does not exist", one.id);
    const auto members = group->members;  // the group itself changes under the loop
    for (const auto& member : members) put(adapter::make(member.id(), "", member.proxy(), member.row_key()));
    return {};
  }

  [[nodiscard]] result<void> operator()(const add_application& one) { return take(add(current_, one, serial_)); }
  [[nodiscard]] result<void> operator()(const sync_application& one) { return take(sync(current_, one)); }
  [[nodiscard]] result<void> operator()(const update_application& one) { return take(update(current_, one)); }

  [[nodiscard]] result<void> operator()(const remove_application& one) {
    if (auto checked = check_removal(current_, one.name); !checked) return checked;
    rows_.push_back(erasure(table::applications, current_.find_application(one.name)->row_key));
    editor_.erase_application(one.name);
    return {};
  }

 private:
  /// The application that deploys an adapter or a group of this id; empty if none does.
  [[nodiscard]] std::string_view deploying_application(std::string_view id) const noexcept {
    if (const auto* adapter = current_.find_deployed_adapter(id)) return adapter->application->text();
    const auto* group = current_.find_replica_group(id);
    return group != nullptr && group->is_deployed() ? group->deployment->application->text() : "";
  }

  [[nodiscard]] result<void> check_adapter_is_dynamic(std::string_view id) const {
    const auto application = deploying_application(id);
    if (application.empty()) return {};
    return fail(errc::already_exists,
                "registering adapter `{}' is not allowed: an adapter or replica group of this id was added with the "
                "application descriptor `{}'",
                id, application);
  }

  void put(const ref<object>& one) {
    rows_.push_back(row_of(*one));
    editor_.put_object(one);
  }
  void put(const ref<adapter>& one) {
    rows_.push_back(row_of(*one));
    editor_.put_adapter(one);
  }
  void erase(const adapter& one) {
    rows_.push_back(erasure(table::adapters, one.row_key()));
    editor_.erase_adapter(one.id());
  }
  [[nodiscard]] result<void> take(const result<ref<application>>& one) {
    if (!one) return fail(one.error());
    rows_.push_back(row_of(**one));
    editor_.put_application(*one);
    return {};
  }

  state& current_;
  state_editor editor_;
  std::uint64_t serial_;
  std::vector<row>& rows_;
};

struct idleness {
  const state& current;

  bool operator()(const update_object& one) const noexcept {
    const auto* there = current.find_object(trusted_identity(one.proxy.content()));
    return there != nullptr && !there->is_deployed() && std::ranges::equal(there->proxy(), one.proxy.content());
  }
  bool operator()(const set_adapter& one) const noexcept {
    const auto* there = current.find_adapter(one.id);
    return there != nullptr && there->replica_group() == one.replica_group &&
           std::ranges::equal(there->proxy(), one.proxy.content());
  }
  bool operator()(const unset_adapter& one) const noexcept {
    const auto* group = current.find_replica_group(one.id);
    return current.find_adapter(one.id) == nullptr && current.find_deployed_adapter(one.id) == nullptr &&
           (group == nullptr || !group->is_deployed());
  }
  template <typename Other>
  bool operator()(const Other& /*one*/) const noexcept {
    return false;
  }
};

}  // namespace

result<void> apply(state& current, const change& one, std::uint64_t serial, std::vector<row>& rows) {
  return std::visit(applier{current, serial, rows}, one);
}

bool changes_nothing(const state& current, const change& one) noexcept { return std::visit(idleness{current}, one); }

}  // namespace muster::catalog

#include "muster/catalog/apply_application.hpp"

#include <memory>
#include <utility>

#include <IceGrid/Admin.h>

#include "muster/catalog/conflicts.hpp"
#include "muster/descriptor/contents.hpp"
#include "muster/descriptor/update.hpp"
#include "muster/descriptor/validate.hpp"

namespace muster::catalog {

namespace {

[[nodiscard]] tl::unexpected<error> no_application(std::string_view name) {
  return fail(errc::not_found, "application `{}' does not exist", name);
}

/// Judges a description by itself and against everything but the application that it is to replace.
[[nodiscard]] result<std::shared_ptr<const descriptor::contents>> check(
    const state& current, const IceGrid::ApplicationDescriptor& application) {
  if (auto valid = descriptor::validate(application); !valid) return fail(valid.error());
  auto contents = std::make_shared<const descriptor::contents>(descriptor::contents_of(application));
  if (auto free = check_names(current, *contents, application.name); !free) return fail(free.error());
  if (auto exist = check_groups_exist(current, *contents, application.name); !exist) return fail(exist.error());
  return contents;
}

[[nodiscard]] result<ref<application>> replace(const state& current, const application& before, const edited& by,
                                               const IceGrid::ApplicationDescriptor& after) {
  auto contents = check(current, after);
  if (!contents) return fail(contents.error());
  if (auto unused = check_groups_unused(current, *before.contents, **contents, before.id(), "update"); !unused) {
    return fail(unused.error());
  }
  auto info = std::make_shared<IceGrid::ApplicationInfo>(*before.info);
  info->updateTime = by.time_ms;
  info->updateUser = by.user;
  // Revisions count up from 1; 31 bits of them outlast any application, but wrapping must not be undefined.
  info->revision = static_cast<std::int32_t>(static_cast<std::uint32_t>(info->revision) + 1U);
  info->descriptor = after;
  return ref<application>{new application{before.name, std::move(info), std::move(*contents), before.row_key}};
}

}  // namespace

result<ref<application>> add(const state& current, const add_application& one, std::uint64_t serial) {
  const auto& name = one.descriptor->name;
  if (current.find_application(name) != nullptr) {
    return fail(errc::already_exists, "application `{}' already exists", name);
  }
  auto contents = check(current, *one.descriptor);
  if (!contents) return fail(contents.error());
  auto info = std::make_shared<IceGrid::ApplicationInfo>();
  info->uuid = one.uuid;
  info->createTime = one.by.time_ms;
  info->createUser = one.by.user;
  info->updateTime = one.by.time_ms;
  info->updateUser = one.by.user;
  info->revision = 1;
  info->descriptor = *one.descriptor;
  return ref<application>{new application{interned::make(name), std::move(info), std::move(*contents), serial}};
}

result<ref<application>> sync(const state& current, const sync_application& one) {
  const auto* before = current.find_application(one.descriptor->name);
  if (before == nullptr) return no_application(one.descriptor->name);
  return replace(current, *before, one.by, *one.descriptor);
}

result<ref<application>> update(const state& current, const update_application& one) {
  const auto* before = current.find_application(one.update->name);
  if (before == nullptr) return no_application(one.update->name);
  return replace(current, *before, one.by, descriptor::apply_update(before->info->descriptor, *one.update));
}

result<void> check_removal(const state& current, std::string_view name) {
  const auto* there = current.find_application(name);
  if (there == nullptr) return no_application(name);
  return check_groups_unused(current, *there->contents, {}, name, "remove");
}

}  // namespace muster::catalog

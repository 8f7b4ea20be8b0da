#include "muster/catalog/loader.hpp"

#include <memory>
#include <utility>

#include <IceGrid/Admin.h>

#include "muster/catalog/conflicts.hpp"
#include "muster/catalog/row.hpp"
#include "muster/catalog/row_codec.hpp"
#include "muster/catalog/state_editor.hpp"

namespace muster::catalog {

namespace {

[[nodiscard]] result<void> add_object_row(state& built, std::uint64_t key, byte_view value) {
  const auto read = read_object_row(value);
  if (!read) return fail(read.error());
  state_editor editor{built};
  const auto before = editor.put_object(object::make(editor.intern_type(read->type), read->proxy, key));
  if (before != nullptr) return fail(errc::corrupt, "object `{}' is there already", to_text(before->identity()));
  return {};
}

[[nodiscard]] result<void> add_adapter_row(state& built, std::uint64_t key, byte_view value) {
  const auto read = read_adapter_row(value);
  if (!read) return fail(read.error());
  const auto before = state_editor{built}.put_adapter(adapter::make(read->id, read->replica_group, read->proxy, key));
  if (before != nullptr) return fail(errc::corrupt, "adapter `{}' is there already", read->id);
  return {};
}

}  // namespace

result<void> loader::add(std::uint8_t table_number, std::uint64_t key, byte_view value) {
  result<void> added;
  switch (static_cast<table>(table_number)) {
    case table::objects: added = add_object_row(built_, key, value); break;
    case table::adapters: added = add_adapter_row(built_, key, value); break;
    case table::applications: {
      auto info = read_application_row(value);
      if (info) {
        applications_.push_back({key, std::move(*info)});
      } else {
        added = fail(info.error());
      }
      break;
    }
    default: added = fail(errc::incompatible, "this program does not know the table");
  }
  if (!added) return fail(added.error().code, "table {}, key {}: {}", table_number, key, added.error().message);
  return {};
}

result<state> loader::finish() {
  // Applications come last: what they deploy is checked against everything else, and may need each other's groups.
  for (auto& [key, info] : applications_) {
    const auto& name = info->descriptor.name;
    const auto place = [&, row_key = key](const error& cause) {
      return fail(errc::corrupt, "table {}, key {}: application `{}': {}", static_cast<int>(table::applications),
                  row_key, name, cause.message);
    };
    if (built_.find_application(name) != nullptr) return place({errc::corrupt, "it is there already"});
    auto contents = std::make_shared<const descriptor::contents>(descriptor::contents_of(info->descriptor));
    if (auto checked = check_names(built_, *contents, name); !checked) return place(checked.error());
    state_editor{built_}.put_application(
        ref<application>{new application{interned::make(name), std::move(info), std::move(contents), key}});
  }
  applications_.clear();
  return std::exchange(built_, state{});
}

}  // namespace muster::catalog

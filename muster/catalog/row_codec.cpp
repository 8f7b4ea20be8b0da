#include "muster/catalog/row_codec.hpp"

#include <IceGrid/Admin.h>

#include "muster/base/codec.hpp"
#include "muster/descriptor/marshal.hpp"

namespace muster::catalog {

namespace {

constexpr std::uint8_t row_version = 1;

[[nodiscard]] row make_row(table to, std::uint64_t key, byte_writer&& value) {
  return {static_cast<std::uint8_t>(to), key, std::move(value).take()};
}

[[nodiscard]] result<void> check_version(byte_reader& reader, std::string_view what) {
  const auto version = reader.u8();
  if (!reader.failed() && version != row_version) {
    return fail(errc::incompatible, "{} has the format {}, and this program knows {}", what, version, row_version);
  }
  return {};
}

}  // namespace

row row_of(const object& one) {
  byte_writer value;
  value.u8(row_version);
  value.string(one.type());
  value.blob(one.proxy());
  return make_row(table::objects, one.row_key(), std::move(value));
}

row row_of(const adapter& one) {
  byte_writer value;
  value.u8(row_version);
  value.string(one.id());
  value.string(one.replica_group());
  value.blob(one.proxy());
  return make_row(table::adapters, one.row_key(), std::move(value));
}

row row_of(const application& one) {
  byte_writer value;
  value.u8(row_version);
  value.blob(descriptor::encode(*one.info));
  return make_row(table::applications, one.row_key, std::move(value));
}

row erasure(table from, std::uint64_t key) { return {static_cast<std::uint8_t>(from), key, std::nullopt}; }

result<object_row> read_object_row(byte_view value) {
  constexpr std::string_view what = "the row of an object";
  byte_reader reader{value};
  if (auto checked = check_version(reader, what); !checked) return fail(checked.error());
  object_row read;
  read.type = reader.string();
  read.proxy = reader.blob();
  if (auto finished = reader.finish(what); !finished) return fail(finished.error());
  const auto proxy = parse(read.proxy);
  if (!proxy) return fail(proxy.error());
  if (proxy->is_null()) return fail(errc::corrupt, "{} has no proxy", what);
  return read;
}

result<adapter_row> read_adapter_row(byte_view value) {
  constexpr std::string_view what = "the row of an adapter";
  byte_reader reader{value};
  if (auto checked = check_version(reader, what); !checked) return fail(checked.error());
  adapter_row read;
  read.id = reader.string();
  read.replica_group = reader.string();
  read.proxy = reader.blob();
  if (auto finished = reader.finish(what); !finished) return fail(finished.error());
  if (const auto proxy = parse(read.proxy); !proxy) return fail(proxy.error());
  if (read.id.empty()) return fail(errc::corrupt, "{} has no id", what);
  return read;
}

result<std::shared_ptr<const IceGrid::ApplicationInfo>> read_application_row(byte_view value) {
  constexpr std::string_view what = "the row of an application";
  byte_reader reader{value};
  if (auto checked = check_version(reader, what); !checked) return fail(checked.error());
  const auto encoded = reader.blob();
  if (auto finished = reader.finish(what); !finished) return fail(finished.error());
  auto info = descriptor::decode_application_info(encoded);
  if (!info) return fail(info.error());
  return std::make_shared<const IceGrid::ApplicationInfo>(std::move(*info));
}

}  // namespace muster::catalog

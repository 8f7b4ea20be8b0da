// The bytes of changes and of rows: what a slave takes from the wire and a replica from its disk. Whatever can be read
// can be written and read again, and can be applied to a catalog without harm.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/base/invariant.hpp"
#include "muster/catalog/apply.hpp"
#include "muster/catalog/change.hpp"
#include "muster/catalog/loader.hpp"
#include "muster/catalog/row_cursor.hpp"

namespace {

using muster::byte_view;
using muster::bytes;
namespace catalog = muster::catalog;

void apply_and_load(const catalog::change& one) {
  catalog::state current;
  std::vector<catalog::row> rows;
  if (!catalog::apply(current, one, 1, rows)) return;
  catalog::loader loading;
  for (const auto& row : rows) {
    if (row.value)
      MUSTER_INVARIANT(loading.add(row.table, row.key, *row.value).has_value(), "what was written can be read");
  }
  const auto loaded = loading.finish();
  MUSTER_INVARIANT(loaded.has_value(), "what was written can be loaded");
  MUSTER_INVARIANT(*loaded == current, "what is loaded is what was written");
}

void read_change(byte_view content) {
  const auto one = catalog::decode(content);
  if (!one) return;
  const bytes encoded = catalog::encode(*one);
  const auto again = catalog::decode(encoded);
  MUSTER_INVARIANT(again.has_value(), "what was encoded can be decoded");
  MUSTER_INVARIANT(catalog::encode(*again) == encoded, "and is the same");
  MUSTER_INVARIANT(!catalog::describe(*one).empty(), "every change can be described");
  apply_and_load(*one);
}

void read_row(std::uint8_t table, byte_view content) {
  catalog::loader loading;
  const bool added = loading.add(table, 1, content).has_value();
  const auto loaded = loading.finish();
  if (!added || !loaded) return;
  catalog::row_cursor cursor{*loaded};
  MUSTER_INVARIANT(cursor.next().has_value(), "what was loaded has a row");
  MUSTER_INVARIANT(!cursor.next().has_value(), "and one only");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const byte_view content{data, size};
  read_change(content);
  if (!content.empty()) read_row(content.front(), content.subspan(1));
  return 0;
}

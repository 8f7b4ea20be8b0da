#include "muster/config/property_reference.hpp"

#include <fmt/format.h>

#include "muster/config/property_table.hpp"

namespace muster::config {
namespace {

std::string_view words(support supported) {
  switch (supported) {
    case support::supported: return "yes";
    case support::passed_on: return "by Ice";
    case support::without_effect: return "not yet: warned about";
    case support::refused: return "not yet: refused when on";
  }
  return {};
}

std::string_view unit(value_kind kind) {
  switch (kind) {
    case value_kind::boolean: return "0 or 1";
    case value_kind::integer: return "number";
    case value_kind::seconds: return "s";
    case value_kind::milliseconds: return "ms";
    case value_kind::mebibytes: return "MB";
    case value_kind::bytes: return "bytes";
    case value_kind::percent: return "%";
    case value_kind::text: return "text";
    case value_kind::identity: return "name";
    case value_kind::path: return "path";
    case value_kind::endpoints: return "endpoints";
    case value_kind::proxy: return "proxy";
    case value_kind::host_port: return "host:port";
    case value_kind::level: return "level";
  }
  return {};
}

/// `<instance>` is no HTML.
std::string without_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += '\\';
    out += c;
  }
  return out;
}

bool has_bounds_to_tell(const property_row& row) {
  switch (row.kind) {
    case value_kind::seconds:
    case value_kind::milliseconds:
    case value_kind::mebibytes:
    case value_kind::bytes:
    case value_kind::percent: return true;
    case value_kind::integer: return row.name.find("Trace.") == std::string_view::npos;
    default: return false;
  }
}

void append_table(std::string& out, std::span<const property_row> rows) {
  out += "| property | value | default | supported | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const property_row& row : rows) {
    std::string meaning = without_markup(row.meaning);
    if (has_bounds_to_tell(row)) meaning += fmt::format(" Allowed: {}.", allowed_values(row));
    if (!row.otherwise.empty()) meaning += fmt::format(" *{}*", row.otherwise);
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, unit(row.kind),
                       row.fallback.empty() ? std::string{} : fmt::format("`{}`", row.fallback), words(row.supported),
                       meaning);
  }
}

void append_names(std::string& out, std::span<const std::string_view> names) {
  const char* separator = "";
  for (const std::string_view name : names) {
    out += fmt::format("{}`{}`", separator, name);
    separator = ", ";
  }
  out += ".\n\n";
}

}  // namespace

std::string property_reference() {
  std::string out =
      R"(# Properties of the registry

This table is made by `muster registry --list-properties`; a test compares the two.

Properties are given in a file named by `--Ice.Config=FILE` (or the environment variable `ICE_CONFIG`), or on the command
line as `--Name=Value`, which wins. An empty value means the same as none. All values are checked before anything is
opened, with the files of passwords and certificates and the hosts that they name; the first that does not fit ends the
start with one line on standard error, which names the property, its value and what is allowed, and with exit status 1.

A name below `IceGrid.` or `Muster.` that is not known is refused, with the nearest known one: a misspelt property may be
one that was to protect something. What Ice 3.7 has and this version does not support yet is refused where to ignore it
would be unsafe, and warned about by name where it is not. Properties of nodes (`IceGrid.Node.…`) have no effect here and
are warned about. All other properties (`Ice.…`, `IceSSL.…`, `IceMX.…`) are Ice's.

A replica named other than `Master` is a slave, and needs `Ice.Default.Locator` with the endpoints of one or more
replicas, or the plug-in `IceLocatorDiscovery`.

## The registry

)";
  append_table(out, registry_properties());
  out += "\n## Object adapters\n\nEach of these adapters takes the suffixes below: ";
  append_names(out, registry_adapters());
  append_table(out, adapter_suffixes());
  out +=
      "\n`Locator` and `Router` take the suffixes of proxies in turn.\n\n## Proxies\n\nEach of these properties holds "
      "a "
      "proxy and takes the suffixes below: ";
  append_names(out, registry_proxies());
  append_table(out, proxy_suffixes());
  return out;
}

}  // namespace muster::config

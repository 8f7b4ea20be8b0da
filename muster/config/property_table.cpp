#include "muster/config/property_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <vector>

#include "muster/config/endpoint_text.hpp"
#include "muster/config/host_port.hpp"
#include "muster/config/number_text.hpp"

namespace muster::config {
namespace {

constexpr std::array<std::string_view, 5> log_levels{"error", "warning", "info", "debug", "trace"};

/// The rest of `name` after `prefix` and a dot.
std::optional<std::string_view> suffix_after(std::string_view name, std::string_view prefix) {
  if (name.size() <= prefix.size() + 1 || !name.starts_with(prefix) || name[prefix.size()] != '.') return std::nullopt;
  return name.substr(prefix.size() + 1);
}

bool names(const property_row& row, std::string_view name) {
  if (row.name.ends_with(".*")) {
    const std::string_view fixed = row.name.substr(0, row.name.size() - 1);
    return name.size() > fixed.size() && name.starts_with(fixed);
  }
  return row.name == name;
}

const property_row* find_in(std::span<const property_row> rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const property_row& row) { return names(row, name); });
  return found == rows.end() ? nullptr : &*found;
}

const property_row* find_suffix(std::span<const std::string_view> owners, std::span<const property_row> rows,
                                std::string_view name) {
  for (const std::string_view owner : owners) {
    if (const auto suffix = suffix_after(name, owner)) return find_in(rows, *suffix);
  }
  return nullptr;
}

/// An adapter has itself two proxies, which take the suffixes of proxies.
const property_row* find_adapters_proxy_suffix(std::string_view name) {
  for (const std::string_view adapter : registry_adapters()) {
    const auto suffix = suffix_after(name, adapter);
    if (!suffix) continue;
    for (const std::string_view of : {std::string_view{"Locator"}, std::string_view{"Router"}}) {
      if (const auto inner = suffix_after(*suffix, of)) return find_in(proxy_suffixes(), *inner);
    }
  }
  return nullptr;
}

std::string in_lower_case(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Edits (insert, remove, replace, swap two neighbours) that make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

template <typename Visit>
void for_each_known_name(const Visit& visit) {
  for (const property_row& row : registry_properties()) visit(std::string{row.name});
  const auto visit_suffixes = [&](std::string_view owner, std::span<const property_row> rows) {
    for (const property_row& row : rows) visit(std::string{owner} + "." + std::string{row.name});
  };
  for (const std::string_view adapter : registry_adapters()) visit_suffixes(adapter, adapter_suffixes());
  for (const std::string_view proxy : registry_proxies()) visit_suffixes(proxy, proxy_suffixes());
}

bool is_number(value_kind kind) {
  switch (kind) {
    case value_kind::boolean:
    case value_kind::integer:
    case value_kind::seconds:
    case value_kind::milliseconds:
    case value_kind::mebibytes:
    case value_kind::bytes:
    case value_kind::percent: return true;
    default: return false;
  }
}

result<void> check_form(const property_row& row, std::string_view value) {
  if (is_number(row.kind)) {
    const auto number = parse_integer(value);
    if (!number || *number < row.least || *number > row.most) return fail(errc::invalid_argument, "");
    return {};
  }
  switch (row.kind) {
    case value_kind::endpoints:
      if (auto read = parse_endpoints(value); !read) return fail(read.error());
      return {};
    case value_kind::proxy:
      if (auto read = parse_proxy(value); !read) return fail(read.error());
      return {};
    case value_kind::host_port:
      if (auto read = parse_host_port(value); !read) return fail(read.error());
      return {};
    case value_kind::level:
      if (std::find(log_levels.begin(), log_levels.end(), value) == log_levels.end()) {
        return fail(errc::invalid_argument, "");
      }
      return {};
    case value_kind::identity:
    case value_kind::path:
      if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return std::iscntrl(c) != 0; })) {
        return fail(errc::invalid_argument, "it has a control character in it");
      }
      return {};
    default: return {};
  }
}

std::string number_range(const property_row& row, std::string_view what) {
  constexpr auto unbounded = std::int64_t{std::numeric_limits<std::int32_t>::max()};
  if (row.least <= -unbounded && row.most >= unbounded) return fmt::format("a whole number{}", what);
  if (row.least <= -unbounded) return fmt::format("a whole number{} up to {}", what, row.most);
  if (row.most >= unbounded && row.most <= unbounded + 1) {
    return fmt::format("a whole number{} from {}", what, row.least);
  }
  return fmt::format("a whole number{} from {} to {}", what, row.least, row.most);
}

}  // namespace

const property_row* find_property(std::string_view name) {
  if (const property_row* row = find_in(registry_properties(), name)) return row;
  if (const property_row* row = find_suffix(registry_adapters(), adapter_suffixes(), name)) return row;
  if (const property_row* row = find_adapters_proxy_suffix(name)) return row;
  return find_suffix(registry_proxies(), proxy_suffixes(), name);
}

std::optional<std::string> nearest_property(std::string_view name) {
  // Half a name's letters wrong is no typing error. The length bound keeps a hostile name from costing time.
  constexpr std::size_t length_max = 200;
  if (name.size() > length_max) return std::nullopt;
  const std::string wanted = in_lower_case(name);
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 4) + 1;
  for_each_known_name([&](std::string known) {
    if (const std::size_t distance = edit_distance(wanted, in_lower_case(known)); distance < least) {
      least = distance;
      nearest = std::move(known);
    }
  });
  return nearest;
}

std::string allowed_values(const property_row& row) {
  switch (row.kind) {
    case value_kind::boolean: return "0 (off) or 1 (on)";
    case value_kind::integer: return number_range(row, "");
    case value_kind::seconds: return number_range(row, " of seconds");
    case value_kind::milliseconds: return number_range(row, " of milliseconds");
    case value_kind::mebibytes: return number_range(row, " of MB (2^20 bytes)");
    case value_kind::bytes: return number_range(row, " of bytes");
    case value_kind::percent: return number_range(row, " of percent");
    case value_kind::text: return "any text";
    case value_kind::identity: return "a name without control characters";
    case value_kind::path: return "a path of a file or directory";
    case value_kind::endpoints: return "Ice endpoints such as tcp -h host -p 4061, several separated by ':'";
    case value_kind::proxy:
      return "a proxy such as category/name, category/name@adapter or category/name:tcp -h host -p port";
    case value_kind::host_port: return "host:port, [IPv6 address]:port or a port";
    case value_kind::level: return "error, warning, info, debug or trace";
  }
  return {};
}

result<void> check_value(std::string_view name, const property_row& row, std::string_view value) {
  const auto checked = check_form(row, value);
  if (checked) return {};
  const std::string& why = checked.error().message;
  return fail(errc::invalid_argument, "{}={}: {}{}allowed is {}", name, value, why, why.empty() ? "" : "; ",
              allowed_values(row));
}

}  // namespace muster::config

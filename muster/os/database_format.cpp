#include "muster/os/database_format.hpp"

#include <charconv>

#include <fmt/format.h>

#include "muster/base/codec.hpp"

namespace muster::os::database_format {
namespace {

constexpr std::string_view magic = "muster registry";
constexpr std::string_view rows_prefix = "rows-";

template <typename Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc{} && end == text.data() + text.size();
}

}  // namespace

bytes encode_format() {
  byte_writer out;
  out.string(magic);
  out.size(version);
  return std::move(out).take();
}

result<std::uint64_t> decode_format(byte_view record) {
  // What a later version adds behind the number is its own business.
  byte_reader in{record};
  const std::string_view found = in.string();
  const std::uint64_t number = in.size();
  if (in.failed() || found != magic) {
    return fail(errc::corrupt, "the database's format record is not readable");
  }
  return number;
}

bytes encode_generation(std::uint64_t generation) {
  byte_writer out;
  out.u64(generation);
  return std::move(out).take();
}

result<std::uint64_t> decode_generation(byte_view record) {
  byte_reader in{record};
  const std::uint64_t generation = in.u64();
  if (auto read = in.finish("the database's generation record"); !read) {
    return fail(std::move(read).error());
  }
  return generation;
}

std::string rows_table(std::uint64_t generation, std::uint8_t table) {
  return fmt::format("{}{}-{}", rows_prefix, generation, table);
}

std::optional<rows_table_name> parse_rows_table(std::string_view name) {
  if (!name.starts_with(rows_prefix)) {
    return std::nullopt;
  }
  name.remove_prefix(rows_prefix.size());
  const std::size_t dash = name.find('-');
  rows_table_name out;
  if (dash == std::string_view::npos || !parse_number(name.substr(0, dash), out.generation) ||
      !parse_number(name.substr(dash + 1), out.table)) {
    return std::nullopt;
  }
  return out;
}

}  // namespace muster::os::database_format

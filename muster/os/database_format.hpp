#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"

/// What lies in a replica's LMDB file.
///
/// - `meta`, keyed by name: `format` (below), `generation` (u64), `state` (what the replication core wants kept with
///   each commit; opaque here).
/// - `log`, keyed by serial (MDB_INTEGERKEY): the recent changes.
/// - `rows-<generation>-<table>`, keyed by u64 (MDB_INTEGERKEY): the state. `<generation>` is the number in `meta`;
///   tables of another generation are a replacement that is being built, or was not finished.
///
/// Integers are in the machine's order where they are LMDB keys (LMDB's files depend on the machine anyway) and
/// little-endian in values.
namespace muster::os::database_format {

/// Rises when a version writes what the one before cannot read.
inline constexpr std::uint64_t version = 1;

/// More than a database ever has: those above, and the rows of two generations.
inline constexpr unsigned tables_max = 600;

inline constexpr const char* meta_table = "meta";
inline constexpr const char* log_table = "log";

inline constexpr std::string_view format_key = "format";
inline constexpr std::string_view generation_key = "generation";
inline constexpr std::string_view state_key = "state";

[[nodiscard]] bytes encode_format();
/// The version in a format record; `corrupt` when it is none of ours.
[[nodiscard]] result<std::uint64_t> decode_format(byte_view record);

[[nodiscard]] bytes encode_generation(std::uint64_t generation);
[[nodiscard]] result<std::uint64_t> decode_generation(byte_view record);

[[nodiscard]] std::string rows_table(std::uint64_t generation, std::uint8_t table);

struct rows_table_name {
  std::uint64_t generation = 0;
  std::uint8_t table = 0;
};
/// What a table's name says, or nothing when it does not hold rows.
[[nodiscard]] std::optional<rows_table_name> parse_rows_table(std::string_view name);

}  // namespace muster::os::database_format

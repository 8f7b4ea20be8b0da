#include "muster/os/lmdb_step.hpp"

#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "muster/os/database_format.hpp"
#include "muster/os/lmdb_environment.hpp"

namespace muster::os::lmdb {
namespace {

namespace format = database_format;

static_assert(sizeof(std::size_t) == sizeof(std::uint64_t), "MDB_INTEGERKEY compares keys as size_t");

/// LMDB's node header and the 8-byte key; two bytes of the page's index.
constexpr std::uint64_t row_overhead_bytes = 18;

MDB_val key_of(std::uint64_t& number) noexcept { return {sizeof number, &number}; }

std::uint64_t number_of(const MDB_val& key) noexcept {
  std::uint64_t out = 0;
  std::memcpy(&out, key.mv_data, sizeof out);
  return out;
}

/// A table keyed by numbers, for the length of one step.
class table_writer {
 public:
  [[nodiscard]] int open(MDB_txn* txn, const std::string& name) {
    txn_ = txn;
    if (const int status = mdb_dbi_open(txn, name.c_str(), MDB_CREATE | MDB_INTEGERKEY, &table_); status != 0) {
      return status;
    }
    if (const int status = at_.open(txn, table_); status != 0) {
      return status;
    }
    MDB_val key{};
    MDB_val value{};
    const int status = at_.move(key, value, MDB_LAST);
    if (status == 0) {
      last_ = number_of(key);
    }
    return status == MDB_NOTFOUND ? 0 : status;
  }

  /// Behind all others the row is appended, which fills pages to the end; a split in the middle leaves halves.
  [[nodiscard]] int put(std::uint64_t number, byte_view content) {
    MDB_val key = key_of(number);
    MDB_val value = value_of(content);
    const bool behind = !last_ || number > *last_;
    if (behind) {
      last_ = number;
    }
    return mdb_cursor_put(at_.get(), &key, &value, behind ? MDB_APPEND : 0U);
  }

  [[nodiscard]] int erase(std::uint64_t number) {
    MDB_val key = key_of(number);
    const int status = mdb_del(txn_, table_, &key, nullptr);
    return status == MDB_NOTFOUND ? 0 : status;
  }

  [[nodiscard]] int measure(std::uint64_t& pages) const {
    MDB_stat stat{};
    const int status = mdb_stat(txn_, table_, &stat);
    pages = stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
    return status;
  }

 private:
  MDB_txn* txn_ = nullptr;
  MDB_dbi table_ = 0;
  cursor at_;
  std::optional<std::uint64_t> last_;
};

/// Erases from the log's beginning while `more(number, bytes)` says so.
template <typename More>
int erase_oldest(MDB_txn* txn, More more) {
  MDB_dbi table = 0;
  if (const int status = mdb_dbi_open(txn, format::log_table, MDB_CREATE | MDB_INTEGERKEY, &table); status != 0) {
    return status;
  }
  cursor at;
  if (const int status = at.open(txn, table); status != 0) {
    return status;
  }
  MDB_val key{};
  MDB_val value{};
  int status = at.move(key, value, MDB_FIRST);
  while (status == 0 && more(number_of(key), stored_bytes(value.mv_size))) {
    if (const int erased = mdb_cursor_del(at.get(), 0); erased != 0) {
      return erased;
    }
    status = at.move(key, value, MDB_FIRST);
  }
  return status == MDB_NOTFOUND ? 0 : status;
}

}  // namespace

int write_rows(MDB_txn* txn, std::uint64_t generation, const std::vector<replication::row_write>& rows,
               std::map<std::uint8_t, std::uint64_t>* tree_pages) {
  std::map<std::uint8_t, table_writer> tables;
  for (const auto& row : rows) {
    const auto [place, is_new] = tables.try_emplace(row.table);
    if (is_new) {
      if (const int status = place->second.open(txn, format::rows_table(generation, row.table)); status != 0) {
        return status;
      }
    }
    const int status = row.value ? place->second.put(row.key, *row.value) : place->second.erase(row.key);
    if (status != 0) {
      return status;
    }
  }
  if (tree_pages != nullptr) {
    for (const auto& [number, table] : tables) {
      if (const int status = table.measure((*tree_pages)[number]); status != 0) {
        return status;
      }
    }
  }
  return 0;
}

int drop_rows(MDB_txn* txn, generations which, std::uint64_t generation) {
  std::vector<std::string> names;
  if (const int status = environment::list_tables(txn, names); status != 0) {
    return status;
  }
  for (const std::string& name : names) {
    const auto rows = format::parse_rows_table(name);
    if (!rows || (rows->generation == generation) != (which == generations::only)) {
      continue;
    }
    MDB_dbi table = 0;
    if (const int status = mdb_dbi_open(txn, name.c_str(), MDB_INTEGERKEY, &table); status != 0) {
      return status;
    }
    if (const int status = mdb_drop(txn, table, 1); status != 0) {
      return status;
    }
  }
  return 0;
}

int append_log(MDB_txn* txn, const std::vector<replication::log_entry>& entries) {
  if (entries.empty()) {
    return 0;
  }
  table_writer log;
  if (const int status = log.open(txn, format::log_table); status != 0) {
    return status;
  }
  for (const auto& entry : entries) {
    if (const int status = log.put(entry.number.value(), entry.change.view()); status != 0) {
      return status;
    }
  }
  return 0;
}

int trim_log(MDB_txn* txn, replication::serial below) {
  if (below.value() == 0) {
    return 0;
  }
  return erase_oldest(txn, [below](std::uint64_t number, std::uint64_t) { return number < below.value(); });
}

int shorten_log(MDB_txn* txn, std::uint64_t bytes_wanted, replication::serial keep_from) {
  std::uint64_t erased = 0;
  return erase_oldest(txn, [&](std::uint64_t number, std::uint64_t size) {
    if (erased >= bytes_wanted || number >= keep_from.value()) {
      return false;
    }
    erased += size;
    return true;
  });
}

int clear_log(MDB_txn* txn) {
  MDB_dbi table = 0;
  const int status = mdb_dbi_open(txn, format::log_table, MDB_CREATE | MDB_INTEGERKEY, &table);
  return status != 0 ? status : mdb_drop(txn, table, 0);
}

int put_meta(MDB_txn* txn, std::string_view key, byte_view value) {
  MDB_dbi table = 0;
  if (const int status = mdb_dbi_open(txn, format::meta_table, MDB_CREATE, &table); status != 0) {
    return status;
  }
  MDB_val name = value_of(key);
  MDB_val content = value_of(value);
  return mdb_put(txn, table, &name, &content, 0);
}

std::uint64_t stored_bytes(std::uint64_t value_bytes) noexcept { return value_bytes + row_overhead_bytes; }

int weigh(MDB_txn* txn, std::uint64_t generation, const std::vector<replication::row_write>& rows, balance& out) {
  out = {};
  std::set<std::pair<std::uint8_t, std::uint64_t>> seen;
  for (const auto& row : rows) {
    if (row.value) {
      out.added += stored_bytes(row.value->size());
    }
    if (!seen.emplace(row.table, row.key).second) {
      continue;
    }
    MDB_dbi table = 0;
    int status = mdb_dbi_open(txn, format::rows_table(generation, row.table).c_str(), MDB_INTEGERKEY, &table);
    if (status == 0) {
      std::uint64_t number = row.key;
      MDB_val key = key_of(number);
      MDB_val value{};
      status = mdb_get(txn, table, &key, &value);
      if (status == 0) {
        out.removed += stored_bytes(value.mv_size);
      }
    }
    if (status != 0 && status != MDB_NOTFOUND) {
      return status;
    }
  }
  return 0;
}

}  // namespace muster::os::lmdb

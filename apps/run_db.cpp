#include <fmt/format.h>

#include "apps/verbs.hpp"
#include "muster/catalog/change.hpp"
#include "muster/catalog/loader.hpp"
#include "muster/ice/reapply.hpp"
#include "muster/os/data_directory.hpp"
#include "muster/os/database_tools.hpp"
#include "muster/os/file.hpp"
#include "muster/os/lmdb_store.hpp"
#include "muster/replication/diverged_tail.hpp"
#include "muster/replication/durable_meta.hpp"

namespace muster::apps {
namespace {

// A tail is bounded by the log that it was part of.
constexpr std::size_t tail_bytes_max = std::size_t{1} << 30U;

int refuse(std::string_view verb, const error& cause) {
  print_error(fmt::format("muster db {}", verb), cause.message);
  return 1;
}

// Checks what only the registry understands: every row is part of a state, every change of the log can be read.
class content_check final : public replication::load_visitor {
 public:
  result<void> meta(byte_view content) override {
    const auto read = replication::decode_meta(content);
    return read ? result<void>{} : fail(read.error());
  }
  result<void> row(std::uint8_t table, std::uint64_t key, byte_view value) override {
    return loader_.add(table, key, value);
  }
  result<void> log(replication::serial, byte_view change) override {
    const auto read = catalog::decode(change);
    return read ? result<void>{} : fail(read.error());
  }

 private:
  catalog::loader loader_;
};

class meta_reader final : public replication::load_visitor {
 public:
  result<void> meta(byte_view content) override {
    content_ = {content.begin(), content.end()};
    return {};
  }
  result<void> row(std::uint8_t, std::uint64_t, byte_view) override { return {}; }
  result<void> log(replication::serial, byte_view) override { return {}; }

  [[nodiscard]] const bytes& content() const noexcept { return content_; }

 private:
  bytes content_;
};

// What came after the backup may live on elsewhere, so the restored database must not go on in the same term.
result<void> begin_anew(const std::string& database) {
  const auto directory = os::data_directory::take(database);
  if (!directory) return fail(directory.error());
  const auto store = os::lmdb_store::open(*directory, {});
  if (!store) return fail(store.error());
  meta_reader reader;
  if (auto read = (*store)->load(reader); !read) return read;
  if (reader.content().empty()) return {};
  auto marked = replication::mark_restored(reader.content());
  if (!marked) return fail(std::move(marked).error());
  replication::commit step;
  step.meta = *std::move(marked);
  return (*store)->commit(std::move(step));
}

void print(const os::database_report& report) {
  fmt::print("format      {}\ncommits     {}\nfile        {} bytes\nmap         {} bytes\n", report.format,
             report.commits, report.file_bytes, report.map_bytes);
  fmt::print("pages       {} used, {} free, {} lost, of {} bytes\n", report.pages_used, report.pages_free,
             report.pages_lost, report.page_bytes);
  if (report.log_last != 0) fmt::print("log         changes {} to {}\n", report.log_first, report.log_last);
  for (const auto& table : report.tables) {
    fmt::print("{:<11} {} records, {} pages\n", table.name, table.records, table.pages);
  }
  const auto state = replication::decode_meta(report.state);
  if (!state) return;
  const auto& history = state->history;
  fmt::print("database    {}\nterm        {}\nlast change {}\nknown to be acknowledged up to {}\n", history.database,
             history.terms.current(), history.last, history.acknowledged);
  if (state->last_role) fmt::print("last role   {}\n", replication::to_string(*state->last_role));
}

}  // namespace

int run(const config::backup_database& what) {
  const auto size = os::backup_database(what.database, what.folder);
  if (!size) return refuse("backup", size.error());
  fmt::print("{} bytes in {}\n", *size, what.folder);
  return 0;
}

int run(const config::restore_database& what) {
  const auto size = os::restore_database(what.folder, what.database);
  if (!size) return refuse("restore", size.error());
  if (const auto marked = begin_anew(what.database); !marked) return refuse("restore", marked.error());
  fmt::print("{} bytes in {}; the next start of it as master begins a new term\n", *size, what.database);
  return 0;
}

int run(const config::show_database& what) {
  const auto report = os::measure_database(what.database);
  if (!report) return refuse("stat", report.error());
  print(*report);
  return 0;
}

int run(const config::check_database& what) {
  content_check visitor;
  const auto report = os::check_database(what.database, visitor);
  if (!report) return refuse("check", report.error());
  std::uint64_t records = 0;
  for (const auto& table : report->tables) records += table.records;
  fmt::print("no damage found in {} records\n", records);
  return 0;
}

int run(const config::show_diverged_tail& what) {
  const auto content = os::read_file(what.file, tail_bytes_max);
  if (!content) return refuse("diverged", content.error());
  const auto tail = replication::decode_tail(*content);
  if (!tail) return refuse("diverged", tail.error());

  std::vector<catalog::change> changes;
  for (const auto& entry : tail->entries) {
    auto change = catalog::decode(entry.change.view());
    if (!change) return refuse("diverged", change.error());
    fmt::print("{:>8}  {}\n", entry.number, catalog::describe(*change));
    changes.push_back(*std::move(change));
  }
  fmt::print("{} changes that replica '{}' dropped in favour of term {}\n", changes.size(), tail->replica,
             tail->in_favour_of);
  if (!what.applies) return 0;

  const auto applied = ice::reapply(changes, what.properties, [](std::size_t number, const result<void>& outcome) {
    fmt::print("{:>8}  {}\n", number + 1, outcome ? "done" : outcome.error().message);
  });
  if (!applied) return refuse("diverged", applied.error());
  fmt::print("{} of {} changes applied\n", *applied, changes.size());
  return *applied == changes.size() ? 0 : 1;
}

}  // namespace muster::apps

#include "muster/registry/catalog_machine.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "muster/base/codec.hpp"
#include "muster/base/invariant.hpp"
#include "muster/catalog/apply.hpp"
#include "muster/catalog/change.hpp"
#include "muster/catalog/row_cursor.hpp"

namespace muster::registry {
namespace {

// A chunk is a version byte and then rows, each a table, a key and a value, up to its end.
constexpr std::uint8_t chunk_version = 1;

class row_chunks final : public replication::snapshot_source {
 public:
  explicit row_chunks(catalog::state from) : rows_{std::move(from)}, next_{rows_.next()} {}

  std::optional<bytes> next_chunk(std::size_t bytes_max) override {
    if (!next_) return std::nullopt;
    byte_writer out;
    out.u8(chunk_version);
    do {
      out.u8(next_->table);
      out.u64(next_->key);
      out.blob(next_->value.value());
      next_ = rows_.next();
    } while (next_ && out.written_bytes() + next_->value.value().size() < bytes_max);
    return std::move(out).take();
  }

 private:
  catalog::row_cursor rows_;
  std::optional<catalog::row> next_;
};

class state_builder final : public replication::snapshot_sink {
 public:
  result<void> add(byte_view chunk, std::vector<replication::row_write>& rows) override {
    byte_reader in{chunk};
    if (const auto version = in.u8(); !in.failed() && version != chunk_version) {
      return fail(errc::incompatible, "a snapshot chunk has version {}; this program knows version {}", version,
                  chunk_version);
    }
    while (!in.failed() && !in.at_end()) {
      const auto table = in.u8();
      const auto key = in.u64();
      const auto value = in.blob();
      if (in.failed()) break;
      if (auto added = loader_.add(table, key, value); !added) return added;
      rows.push_back({table, key, bytes{value.begin(), value.end()}});
    }
    return in.finish("a snapshot chunk");
  }

  result<void> finish() override {
    auto built = loader_.finish();
    if (!built) return fail(std::move(built).error());
    built_ = std::move(*built);
    return {};
  }

  [[nodiscard]] catalog::state take() && {
    MUSTER_INVARIANT(built_.has_value(), "a snapshot is installed only after its sink has finished");
    return std::move(*built_);
  }

 private:
  catalog::loader loader_;
  std::optional<catalog::state> built_;
};

}  // namespace

result<void> catalog_machine::load_row(std::uint8_t table, std::uint64_t key, byte_view value) {
  return loader_.add(table, key, value);
}

result<void> catalog_machine::finish_load() {
  auto loaded = loader_.finish();
  if (!loaded) return fail(std::move(loaded).error());
  make_published(std::move(*loaded));
  return {};
}

result<void> catalog_machine::stage(replication::serial number, byte_view change,
                                    std::vector<replication::row_write>& rows) {
  const auto decoded = catalog::decode(change);
  if (!decoded) return fail(decoded.error());
  rows_.clear();
  if (auto applied = catalog::apply(staged_, *decoded, number.value(), rows_); !applied) return applied;
  for (auto& row : rows_) rows.push_back({row.table, row.key, std::move(row.value)});
  return {};
}

void catalog_machine::publish() {
  published_ = staged_;
  if (on_published_) on_published_(published_);
}

void catalog_machine::discard() { staged_ = published_; }

std::unique_ptr<replication::snapshot_source> catalog_machine::capture() const {
  return std::make_unique<row_chunks>(published_);
}

std::unique_ptr<replication::snapshot_sink> catalog_machine::begin_install() {
  return std::make_unique<state_builder>();
}

void catalog_machine::install(std::unique_ptr<replication::snapshot_sink> sink) {
  auto* builder = dynamic_cast<state_builder*>(sink.get());
  MUSTER_INVARIANT(builder != nullptr, "a machine installs only sinks that it has made");
  make_published(std::move(*builder).take());
}

void catalog_machine::make_published(catalog::state now) {
  published_ = std::move(now);
  staged_ = published_;
  if (on_published_) on_published_(published_);
}

}  // namespace muster::registry

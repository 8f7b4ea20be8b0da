#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/base/codec.hpp"
#include "muster/replication/state_machine.hpp"

/// For tests: the smallest state machine and store that a replica can work on.
namespace muster::replication::testing {

inline bytes text(std::string_view content) { return {content.begin(), content.end()}; }
inline std::string text(byte_view content) { return {content.begin(), content.end()}; }

/// What a change "key=value" has made: its value, and the serial that wrote it (the row's key).
struct written {
  serial by;
  std::string value;
  friend bool operator==(const written&, const written&) = default;
};
using words = std::map<std::string, written>;

inline bytes row_of(const std::string& key, const std::string& value) {
  byte_writer out;
  out.string(key);
  out.string(value);
  return std::move(out).take();
}

/// Words and their values. "key=value" sets, "key=" erases (refused when there is no such key), anything else is
/// refused. `poisoned` makes this replica alone refuse one change, as a bug or another version would.
class word_machine final : public state_machine {
 public:
  words published;
  words staged;
  std::string poisoned;
  int installs{0};

  result<void> stage(serial number, byte_view change, std::vector<row_write>& rows) override {
    const std::string all = text(change);
    const std::size_t sign = all.find('=');
    if (sign == std::string::npos || sign == 0 || (!poisoned.empty() && all == poisoned)) {
      return fail(errc::invalid_argument, "'{}' is no change", all);
    }
    const std::string key = all.substr(0, sign);
    std::string value = all.substr(sign + 1);
    const auto old = staged.find(key);
    if (value.empty() && old == staged.end()) {
      return fail(errc::not_found, "there is no '{}'", key);
    }
    if (old != staged.end()) {
      rows.push_back({1, old->second.by.value(), std::nullopt});
    }
    if (value.empty()) {
      staged.erase(key);
      return {};
    }
    rows.push_back({1, number.value(), row_of(key, value)});
    staged[key] = {number, std::move(value)};
    return {};
  }
  void publish() override { published = staged; }
  void discard() override { staged = published; }

  std::unique_ptr<snapshot_source> capture() const override { return std::make_unique<source>(published); }
  std::unique_ptr<snapshot_sink> begin_install() override { return std::make_unique<sink>(); }
  void install(std::unique_ptr<snapshot_sink> from) override {
    published = dynamic_cast<sink&>(*from).built;
    staged = published;
    ++installs;
  }

  result<void> load_row(std::uint64_t key, byte_view value) {
    byte_reader in{value};
    const std::string name{in.string()};
    published[name] = {serial{key}, std::string{in.string()}};
    staged = published;
    return in.finish("row");
  }

 private:
  class source final : public snapshot_source {
   public:
    explicit source(words all) : all_{std::move(all)}, at_{all_.begin()} {}
    std::optional<bytes> next_chunk(std::size_t bytes_max) override {
      byte_writer out;
      while (at_ != all_.end() && (out.written_bytes() == 0 || out.written_bytes() + at_->first.size() < bytes_max)) {
        out.size(at_->second.by.value());
        out.string(at_->first);
        out.string(at_->second.value);
        ++at_;
      }
      if (out.written_bytes() == 0) {
        return std::nullopt;
      }
      return std::move(out).take();
    }

   private:
    words all_;
    words::const_iterator at_;
  };

  class sink final : public snapshot_sink {
   public:
    words built;
    result<void> add(byte_view chunk, std::vector<row_write>& rows) override {
      byte_reader in{chunk};
      while (!in.at_end() && !in.failed()) {
        const serial by{in.size()};
        const std::string key{in.string()};
        const std::string value{in.string()};
        rows.push_back({1, by.value(), row_of(key, value)});
        built[key] = {by, value};
      }
      return in.finish("chunk");
    }
    result<void> finish() override { return {}; }
  };
};

/// A disk whose every step is durable at once, and which can be told to refuse.
class memory_store final : public store {
 public:
  struct copy {
    std::map<std::pair<std::uint8_t, std::uint64_t>, bytes> rows;
    std::map<serial, shared_bytes> log;
    std::optional<bytes> meta;
  };

  copy present;
  std::optional<copy> replacement;
  std::optional<error> refuses;  ///< every step fails with this
  int steps{0};                  ///< of kind changes and replacement_swap, that succeeded

  result<void> commit(replication::commit&& step) override {
    if (refuses) {
      replacement.reset();
      return fail(*refuses);
    }
    if (step.what != commit::kind::changes && (step.replacement_begins || !replacement)) {
      replacement.emplace();
    }
    copy& target = step.what == commit::kind::changes ? present : *replacement;
    for (auto& row : step.rows) {
      if (row.value) {
        target.rows[{row.table, row.key}] = *std::move(row.value);
      } else {
        target.rows.erase({row.table, row.key});
      }
    }
    if (step.what == commit::kind::replacement_rows) {
      return {};
    }
    for (auto& entry : step.log_append) {
      target.log[entry.number] = entry.change;
    }
    target.log.erase(target.log.begin(), target.log.lower_bound(step.log_trim_below));
    target.meta = std::move(step.meta);
    if (step.what == commit::kind::replacement_swap) {
      present = *std::exchange(replacement, std::nullopt);
    }
    ++steps;
    return {};
  }

  result<void> load(load_visitor& visitor) override {
    replacement.reset();
    if (!present.meta) {
      return {};
    }
    if (auto done = visitor.meta(*present.meta); !done) {
      return done;
    }
    for (const auto& [key, value] : present.rows) {
      if (auto done = visitor.row(key.first, key.second, value); !done) {
        return done;
      }
    }
    for (const auto& [number, change] : present.log) {
      if (auto done = visitor.log(number, change.view()); !done) {
        return done;
      }
    }
    return {};
  }
};

}  // namespace muster::replication::testing

#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/store.hpp"

namespace muster::tests {

/// All that a store holds, as values: filled by `store::load`, or by applying steps to it as a store should.
struct store_content {
  bytes meta;
  std::map<std::pair<std::uint8_t, std::uint64_t>, bytes> rows;
  std::map<std::uint64_t, bytes> log;

  friend bool operator==(const store_content&, const store_content&) = default;

  void write(const std::vector<replication::row_write>& writes) {
    for (const auto& row : writes) {
      if (row.value) {
        rows[{row.table, row.key}] = *row.value;
      } else {
        rows.erase({row.table, row.key});
      }
    }
  }

  void append_log(const std::vector<replication::log_entry>& entries) {
    for (const auto& entry : entries) {
      const byte_view change = entry.change.view();
      log[entry.number.value()] = bytes{change.begin(), change.end()};
    }
  }

  void change(const replication::commit& step) {
    write(step.rows);
    append_log(step.log_append);
    log.erase(log.begin(), log.lower_bound(step.log_trim_below.value()));
    meta = step.meta;
  }
};

/// Reads a store into a `store_content`, and fails on an order that the port forbids.
class content_reader final : public replication::load_visitor {
 public:
  [[nodiscard]] const store_content& content() const noexcept { return content_; }

  result<void> meta(byte_view state) override {
    if (!content_.rows.empty() || !content_.log.empty() || !content_.meta.empty()) {
      return fail(errc::corrupt, "meta comes once, and first");
    }
    content_.meta.assign(state.begin(), state.end());
    return {};
  }

  result<void> row(std::uint8_t table, std::uint64_t key, byte_view value) override {
    const std::pair place{table, key};
    if (!content_.log.empty() || (!content_.rows.empty() && content_.rows.rbegin()->first >= place)) {
      return fail(errc::corrupt, "rows come by table and key, before the log");
    }
    content_.rows.emplace_hint(content_.rows.end(), place, bytes{value.begin(), value.end()});
    return {};
  }

  result<void> log(replication::serial number, byte_view change) override {
    if (!content_.log.empty() && content_.log.rbegin()->first >= number.value()) {
      return fail(errc::corrupt, "the log comes by number");
    }
    content_.log.emplace_hint(content_.log.end(), number.value(), bytes{change.begin(), change.end()});
    return {};
  }

 private:
  store_content content_;
};

}  // namespace muster::tests

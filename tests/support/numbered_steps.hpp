#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "muster/replication/store.hpp"
#include "tests/support/store_content.hpp"

namespace muster::tests {

/// A fixed sequence of steps for a store, of all kinds. Number n is made of one commit, or, every ninth, of the commits
/// that build a replacement and swap it in. Each leaves `state <n>` in meta, so that what a store holds tells which
/// steps it has taken.
inline std::vector<replication::commit> numbered_step(std::uint64_t number) {
  using replication::commit;
  const auto content = [number](std::uint64_t key) {
    const std::uint64_t size = key % 7 == 0 ? 20'000 : 40 + key % 200;
    return bytes(size, static_cast<std::uint8_t>(number + key));
  };
  const std::string name = "state " + std::to_string(number);
  const bytes meta{name.begin(), name.end()};
  std::vector<commit> out(1);
  out.front().meta = meta;
  if (number % 9 != 0) {
    commit& step = out.front();
    step.rows = {{1, number, content(number)}, {2, number % 3, content(number + 1)}};
    if (number > 4) {
      step.rows.push_back({1, number - 4, std::nullopt});
    }
    step.log_append = {{replication::serial{number}, replication::shared_bytes{content(number + 2)}}};
    step.log_trim_below = replication::serial{number > 6 ? number - 6 : 0};
    return out;
  }
  out.resize(3);
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    out[i].what = i + 1 < out.size() ? commit::kind::replacement_rows : commit::kind::replacement_swap;
    out[i].replacement_begins = i == 0;
    out[i].meta = meta;
    for (std::uint64_t key = 10; key > 0; --key) {
      out[i].rows.push_back({1, number * 100 + key * 10 + i, content(key)});
    }
  }
  out.back().log_append = {{replication::serial{number}, replication::shared_bytes{content(number)}}};
  return out;
}

/// What a store holds after steps 1 to `last`.
inline store_content content_after(std::uint64_t last) {
  store_content out;
  for (std::uint64_t number = 1; number <= last; ++number) {
    for (const auto& step : numbered_step(number)) {
      if (step.what == replication::commit::kind::changes) {
        out.change(step);
        continue;
      }
      if (step.replacement_begins) {
        out = {};
      }
      out.write(step.rows);
      out.append_log(step.log_append);
      out.meta = step.meta;
    }
  }
  return out;
}

/// The number of the last step that a store's content shows; 0 when it has taken none.
inline std::uint64_t last_step_in(const store_content& content) {
  const std::string meta{content.meta.begin(), content.meta.end()};
  return meta.empty() ? 0 : std::stoull(meta.substr(meta.find(' ') + 1));
}

}  // namespace muster::tests

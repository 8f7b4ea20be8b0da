#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/processes.hpp"
#include "bench/receptionist/conversation.hpp"
#include "bench/report.hpp"

namespace muster::bench {

enum class side : std::uint8_t { pg, muster };

[[nodiscard]] std::string_view to_text(side which) noexcept;

/// How this run's tables call the sides.
[[nodiscard]] side_names names_of_sides();
[[nodiscard]] inline std::vector<double>& column_of(row& of, side which) {
  return which == side::pg ? of.stock : of.muster;
}

/// What nodes of Erlang need beside their program: the compiled module, and a port mapper of this run's own, so that
/// nothing of it is left behind.
class pg_ground {
 public:
  pg_ground(work_directory& folder, const std::filesystem::path& source);

  /// What starts a node that connects to the others.
  [[nodiscard]] std::vector<std::string> command(const std::string& name, const std::vector<std::string>& others) const;

 private:
  std::filesystem::path compiled_;
  std::uint16_t port_;
  process mapper_;
};

/// What a measurement works with.
struct receptionist_context {
  int pairs = 5;
  bool quick = false;
  std::string own;  ///< this program: it is muster's peer, too
  std::vector<side> sides{side::pg, side::muster};
  std::filesystem::path pg_source;
  work_directory& folder;
  std::optional<pg_ground> pg{};
  std::vector<row> rows{};

  [[nodiscard]] std::size_t scaled(std::size_t count) const noexcept { return quick ? count / 10 : count; }
};

/// Nodes of one side that know each other, each a process, named a, b, c.
class fleet {
 public:
  fleet(receptionist_context& with, side which, std::size_t count = 3);

  [[nodiscard]] conversation& operator[](std::size_t number) { return nodes_[number]; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

 private:
  std::deque<conversation> nodes_;
};

/// A row for which each side gives a sample in turns of alternating order.
void measure_in_turns(receptionist_context& with, std::vector<row> rows,
                      const std::function<std::vector<double>(side)>& sample);

}  // namespace muster::bench

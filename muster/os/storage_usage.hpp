#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "muster/base/event.hpp"

namespace muster::os {

/// How full a database and the disk below it are.
struct storage_usage {
  std::uint64_t used_bytes = 0;       ///< pages that hold something
  std::uint64_t map_bytes = 0;        ///< the map as it is now; it grows up to
  std::uint64_t map_limit_bytes = 0;  ///< this
  std::uint64_t reserved_bytes = 0;   ///< of that limit, what adding does not get
  std::uint64_t file_bytes = 0;       ///< length of the data file; it never shrinks (a backup makes a small copy)
  std::uint64_t disk_free_bytes = 0;  ///< that this user may still fill
  std::uint64_t commits = 0;          ///< since the start
  std::uint64_t refused_full = 0;     ///< commits refused since map or disk was full, since the start
};

/// Says once when a share is passed: at `warn_percent`, 90 and 95 percent of what adding may fill of the map, and the
/// same of what the database may take on its disk. Silent again until the share has fallen well below.
class storage_watch {
 public:
  storage_watch(std::string database, unsigned warn_percent, std::function<void(const event&)> report);

  void look(const storage_usage& now);

 private:
  struct gauge {
    std::string_view what;
    std::size_t passed = 0;  ///< of `thresholds_`, how many have been reported
  };
  void look(gauge& of, std::uint64_t used, std::uint64_t limit);

  std::string database_;
  std::array<unsigned, 3> thresholds_;
  std::function<void(const event&)> report_;
  gauge map_{"map"};
  gauge disk_{"disk"};
};

}  // namespace muster::os

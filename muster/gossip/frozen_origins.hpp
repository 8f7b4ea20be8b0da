#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/messages.hpp"
#include "muster/gossip/options.hpp"
#include "muster/gossip/origin_table.hpp"

namespace muster::gossip {

/// The giving end of transfers: origins as they were at one version, so that all chunks of a transfer belong together
/// however the origin goes on. One frozen origin serves all who ask for it. Texts are shared with the table, so that a
/// registration costs 32 bytes here.
class frozen_origins {
 public:
  explicit frozen_origins(const options& how) noexcept : how_{how} {}

  /// Freezes the origin, or gives what is frozen of it if that is of version `at_least` and the log still leads from
  /// there to the present one: whoever knows a later version would drop it. The one unused for the longest time makes
  /// room.
  [[nodiscard]] chunk first_chunk(const origin_table& table, const origin_record& origin, version at_least,
                                  instant now);
  /// Nothing when that version is not frozen here, or has no such chunk.
  [[nodiscard]] std::optional<chunk> chunk_of(const origin_id& origin, version at, std::uint32_t index, instant now);

  void drop(const node_id& node);
  /// Lets go of those that nobody has asked for lately.
  void expire(instant now);
  [[nodiscard]] std::size_t size() const noexcept { return frozen_.size(); }

 private:
  struct frozen {
    origin_id origin;
    mark at;
    std::vector<registration> all;
    std::vector<std::size_t> starts;  ///< of each chunk, in `all`
    instant used;
  };

  [[nodiscard]] static chunk cut(const frozen& from, std::uint32_t index);

  const options& how_;
  std::vector<frozen> frozen_;
};

/// About how many bytes all registrations of the origin take in a message, or anything above `enough` once it is that
/// many.
[[nodiscard]] std::size_t bytes_of_whole(const origin_table& table, const origin_record& origin, std::size_t enough);

}  // namespace muster::gossip

#pragma once

#include <string>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/store.hpp"

namespace muster::replication {

/// Changes that one replica committed and nobody was told are done, dropped in favour of another history. The content
/// of the file that `save_tail` writes; `muster db diverged FILE` shows it and can propose the changes again.
struct diverged_tail {
  std::string replica;             ///< the replica that dropped it
  replication::history dropped;    ///< its history then: the tail ends at `dropped.last`
  term in_favour_of;               ///< the term it follows now
  std::vector<log_entry> entries;  ///< without a gap

  friend bool operator==(const diverged_tail&, const diverged_tail&) = default;
};

[[nodiscard]] bytes encode(const diverged_tail& what);
/// `corrupt` for anything that is not a whole file of this kind (a checksum ends it), `incompatible` for a later
/// format.
[[nodiscard]] result<diverged_tail> decode_tail(byte_view file);

/// "diverged-<replica>-<first>-<last>-term<number>-<id>.tail", safe as a file name whatever the replica's name holds.
[[nodiscard]] std::string tail_file_name(const diverged_tail& what);

}  // namespace muster::replication

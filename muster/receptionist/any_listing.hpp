#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "muster/actor/actor_ref.hpp"
#include "muster/receptionist/listing.hpp"
#include "muster/receptionist/roster.hpp"
#include "muster/receptionist/service_key.hpp"

namespace muster {

/// All registrations under one key at one moment, whatever messages their actors take: for tools that look into a
/// cluster and know few of its types. The actors can be compared, printed, watched and stopped, but not told anything;
/// who has messages for them knows their type, and asks for a `listing`. A value that never changes: cheap to copy, on
/// any thread.
class any_listing {
 public:
  struct entry {
    any_ref ref;
    /// The name of its messages (`message_name`); empty where they have none, and so stay on their node.
    std::string type;
    /// False: on a node that does not answer now but is not given up.
    bool is_reachable{true};

    friend bool operator==(const entry&, const entry&) = default;
  };

  any_listing() noexcept = default;
  any_listing(const any_key& of, receptionist::roster_ptr rows) : key{of}, rows_{std::move(rows)} {}

  [[nodiscard]] bool empty() const noexcept { return rows_ == nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_ ? rows_->size() : 0; }
  /// In the order of all listings: by node, then path. An actor that is registered with several types has one of each.
  /// Made anew by each call.
  [[nodiscard]] std::vector<entry> entries() const;

  /// Those of the same moment whose actors take messages of type T. What that leaves out is logged and counted, as it
  /// is for whoever asks for a `listing<T>`.
  template <typename T>
  [[nodiscard]] listing<T> as() const {
    return listing<T>{key, rows_};
  }

  any_key key;

 private:
  receptionist::roster_ptr rows_;
};

namespace receptionist {
using muster::any_listing;
}
}  // namespace muster

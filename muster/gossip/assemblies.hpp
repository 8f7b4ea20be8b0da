#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/messages.hpp"
#include "muster/gossip/options.hpp"

namespace muster::gossip {

/// The taking end of transfers: chunks that have come of origins at one version each. Nothing of them is visible before
/// all of an origin are there. Chunks of one transfer come from one member; others cut in other places.
class assemblies {
 public:
  explicit assemblies(const options& how) noexcept : how_{how} {}

  /// All of an origin, and whether it is what its mark says.
  struct whole {
    origin_id origin;
    mark at;
    std::vector<registration> content;  ///< one more than this node takes of an origin, at most
    bool agrees{true};
  };
  /// Chunks to ask a member for.
  struct request {
    origin_id to;
    want_chunks what;
  };
  struct taken {
    std::optional<whole> completed;
    std::optional<request> next;
  };
  struct given_up {
    origin_id origin;
    origin_id source;
  };

  /// A chunk of a version that is wanted. One of another transfer is passed over, unless the same member has begun a
  /// newer one or there is no transfer of the origin yet and room for it.
  [[nodiscard]] taken add(const origin_id& from, chunk what, instant now);

  [[nodiscard]] bool is_receiving(const node_id& node) const { return assemblies_.contains(node); }
  void drop(const node_id& node) { assemblies_.erase(node); }
  /// What was going to come from this member will not.
  void drop_from(const origin_id& source);
  [[nodiscard]] std::size_t size() const noexcept { return assemblies_.size(); }

  /// Asks again where nothing has come for a while, and gives up (`lost`) what has been asked for too often.
  [[nodiscard]] std::vector<request> ask_again(instant now, std::vector<given_up>& lost);
  [[nodiscard]] instant next_deadline() const;

 private:
  static constexpr unsigned retries_max = 3;

  struct assembly {
    origin_id origin;
    origin_id source;
    mark at;
    std::uint32_t count{0};
    std::map<std::uint32_t, std::vector<registration>> chunks;
    std::uint32_t next_to_ask{0};
    std::uint64_t registrations{0};  ///< that came, kept or not
    std::uint64_t checksum{0};       ///< of those
    std::size_t kept{0};
    instant due;
    unsigned retries{0};
  };

  [[nodiscard]] static whole join(assembly&& all);

  const options& how_;
  std::map<node_id, assembly> assemblies_;
};

}  // namespace muster::gossip

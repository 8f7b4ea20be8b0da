#pragma once

#include <cstdint>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/prng.hpp"
#include "muster/catalog/identity.hpp"
#include "muster/locator/ice_encoding.hpp"
#include "muster/locator/turn_counters.hpp"
#include "muster/locator/view.hpp"

namespace muster::locator {

/// The answer to a locate request. Clients act on the difference between the last two: what is unavailable may be asked
/// for again, what is unknown is an error of the caller.
struct located {
  enum class status : std::uint8_t {
    found,        ///< reply with `proxy`
    unavailable,  ///< known, but it has no endpoints now: reply with the null proxy
    unknown,      ///< reply with the operation's exception
  };

  status answer{status::unknown};
  /// One encoded proxy, in the view or in the caller's buffer; the two bytes of a null proxy if unavailable; empty if
  /// unknown.
  byte_view proxy;
  bool is_group{false};  ///< the id is that of a replica group

  [[nodiscard]] bool is_found() const noexcept { return answer == status::found; }
};

/// Finds the proxies that clients ask for, with the semantics of IceGrid 3.7. Reads a view that it is given and waits
/// for nothing; any number of threads may use one resolver at a time, each with its own generator and buffer. Nothing
/// is allocated for an object or a single adapter, and with a buffer that is used again nothing for most groups.
class resolver {
 public:
  /// `Locator::findObjectById`: the proxy that is registered, as it was registered. An indirect one is the client's to
  /// resolve further.
  [[nodiscard]] static located find_object(const view& from, catalog::identity_view id) noexcept;

  /// `Locator::findAdapterById`, for adapters and replica groups.
  ///
  /// A dynamic adapter answers with the proxy that its server registered. A dynamic group answers with the endpoints of
  /// all its members, always in the same order (key_order.hpp). A deployed group answers with those members that its
  /// load balancing selects among the active ones: as many as its n-replicas says (0 = all), in random order, in turns,
  /// or by ascending priority; the adaptive policy is as random while no node reports its load.
  ///
  /// A member whose server does not speak the encoding of the request (a server of 1.0 asked in 1.1) is left out.
  /// `merged` is overwritten where endpoints have to be put together.
  [[nodiscard]] located find_adapter(const view& from, std::string_view id, encoding requested, prng& random,
                                     bytes& merged);

 private:
  [[nodiscard]] located find_group(const view& from, std::string_view id, const catalog::replica_group& group,
                                   encoding requested, prng& random, bytes& merged);

  turn_counters turns_;
};

}  // namespace muster::locator

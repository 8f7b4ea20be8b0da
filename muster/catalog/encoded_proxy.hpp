#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/identity.hpp"
#include "muster/descriptor/proxy_options.hpp"

namespace muster::catalog {

using descriptor::proxy_mode;
using descriptor::proxy_options;

/// One proxy, looked at where its bytes lie: every member views into them. The bytes are what Ice writes for a proxy in
/// a stream of encoding 1.1 (Ice manual, "Data Encoding for Proxies"):
///
///     identity {name, category}; nothing more if both are empty (the null proxy)
///     facet sequence (none or one), mode, secure, protocol version, encoding version
///     endpoint count; the endpoints {type, encapsulation}, or the adapter id if the count is 0
struct proxy_view {
  identity_view identity;
  std::string_view facet;  ///< empty = the default facet
  proxy_mode mode{proxy_mode::twoway};
  bool secure{false};
  descriptor::version protocol;
  descriptor::version encoding;
  std::size_t endpoint_count{0};
  byte_view endpoints;          ///< the bytes of all endpoints, one after the other
  std::string_view adapter_id;  ///< only without endpoints; empty = the proxy of a well-known object
  byte_view header;             ///< everything before the endpoint count
  byte_view all;                ///< the whole proxy

  [[nodiscard]] bool is_null() const noexcept { return identity.is_none(); }
  [[nodiscard]] bool has_endpoints() const noexcept { return endpoint_count != 0; }
  [[nodiscard]] bool is_indirect() const noexcept { return !is_null() && endpoint_count == 0; }
};

/// Reads bytes that are exactly one proxy; `corrupt` otherwise. Never reads beyond the input, allocates nothing.
[[nodiscard]] result<proxy_view> parse(byte_view input);

/// Reads the proxy at the front of `input` and leaves there what follows it.
[[nodiscard]] result<proxy_view> parse_front(byte_view& input);

/// The bytes of exactly one well-formed proxy, by value. Comparable: Ice writes equal proxies as equal bytes.
class encoded_proxy {
 public:
  /// The null proxy.
  encoded_proxy() : content_{0, 0} {}

  /// Checks the bytes first; `corrupt` if they are not one proxy.
  [[nodiscard]] static result<encoded_proxy> read(byte_view input);

  /// A proxy that is resolved by the locator: `identity @ adapter_id`, or a well-known object where that is empty.
  [[nodiscard]] static encoded_proxy indirect(identity_view identity, std::string_view adapter_id,
                                              const proxy_options& options = {});

  /// `first` with the endpoints of all of `several` (which may contain it), each endpoint once, in their order. Proxies
  /// without endpoints add nothing; if none has any, the result is as `first`.
  [[nodiscard]] static encoded_proxy with_endpoints_of(const proxy_view& first, std::span<const proxy_view> several);

  /// The same proxy under another identity.
  [[nodiscard]] encoded_proxy with_identity(identity_view identity) const;

  [[nodiscard]] proxy_view view() const noexcept;
  [[nodiscard]] byte_view content() const noexcept { return content_; }
  [[nodiscard]] bool is_null() const noexcept { return content_.size() == 2; }
  [[nodiscard]] bool is_indirect() const noexcept { return view().is_indirect(); }
  [[nodiscard]] bool has_endpoints() const noexcept { return view().has_endpoints(); }

  friend bool operator==(const encoded_proxy&, const encoded_proxy&) = default;

 private:
  explicit encoded_proxy(bytes content) noexcept : content_{std::move(content)} {}

  bytes content_;
};

/// Appends to `out` what `with_endpoints_of` makes, without a value between: for replies written by hand.
void append_merged(bytes& out, const proxy_view& first, std::span<const proxy_view> several);

/// Looks at bytes that are known to be well formed because they come out of an `encoded_proxy`. A broken promise
/// aborts.
[[nodiscard]] proxy_view trusted_view(byte_view content) noexcept;

/// The identity alone of such bytes: what the maps use as their key.
[[nodiscard]] identity_view trusted_identity(byte_view content) noexcept;

}  // namespace muster::catalog

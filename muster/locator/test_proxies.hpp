#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "muster/catalog/encoded_proxy.hpp"
#include "muster/locator/ice_encoding.hpp"

/// For tests: proxies with tcp endpoints on host "h", told apart by their ports.
namespace muster::locator::testing {

/// `category/name:tcp -h h -p <port> ...`, of a server that speaks 1.1 or, if said, only 1.0.
inline catalog::encoded_proxy direct(catalog::identity_view id, std::initializer_list<int> ports,
                                     encoding spoken = encoding::v1_1) {
  descriptor::proxy_options options;
  options.encoding = {1, static_cast<std::uint8_t>(spoken)};
  const auto plain = catalog::encoded_proxy::indirect(id, "", options);
  bytes out{plain.view().header.begin(), plain.view().header.end()};
  append_size(out, ports.size());
  for (const int port : ports) {
    out.push_back(1);
    out.push_back(0);
    const std::size_t at = begin_encapsulation(out, encoding::v1_1);
    append_string(out, "h");
    append_i32(out, port);
    append_i32(out, 60'000);
    out.push_back(0);
    end_encapsulation(out, at);
  }
  if (ports.size() == 0) append_string(out, "");
  return catalog::encoded_proxy::read(out).value();
}

/// What a server registers for an adapter.
inline catalog::encoded_proxy dummy(std::initializer_list<int> ports, encoding spoken = encoding::v1_1) {
  return direct({"dummy", ""}, ports, spoken);
}

/// The ports of a proxy's endpoints, in their order.
inline std::vector<int> ports_of(byte_view proxy) {
  std::vector<int> ports;
  const auto view = catalog::parse(proxy).value();
  ice_reader in{view.endpoints};
  while (!in.at_end()) {
    (void)in.take(2 + encapsulation_header_bytes);
    (void)in.string();
    ports.push_back(in.i32());
    (void)in.take(5);
  }
  return ports;
}

inline std::string identity_of(byte_view proxy) { return catalog::to_text(catalog::trusted_identity(proxy)); }

}  // namespace muster::locator::testing

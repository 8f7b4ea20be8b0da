#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "muster/base/result.hpp"

namespace muster::descriptor {

/// How a proxy calls, as Ice numbers it in a stream.
enum class proxy_mode : std::uint8_t { twoway = 0, oneway = 1, batch_oneway = 2, datagram = 3, batch_datagram = 4 };

struct version {
  std::uint8_t major{1};
  std::uint8_t minor{0};

  friend bool operator==(const version&, const version&) = default;
};

/// What a descriptor's proxy options say about the proxies made from it.
struct proxy_options {
  std::string facet;
  proxy_mode mode{proxy_mode::twoway};
  bool secure{false};
  version protocol{1, 0};
  version encoding{1, 1};

  friend bool operator==(const proxy_options&, const proxy_options&) = default;
};

/// Reads `-f FACET -t -o -O -d -D -s -e ENCODING -p PROTOCOL`, the options of a stringified proxy before its endpoints;
/// an argument may stand in single or double quotes. `invalid_argument` names the first part that is none of these.
[[nodiscard]] result<proxy_options> parse_proxy_options(std::string_view text);

}  // namespace muster::descriptor

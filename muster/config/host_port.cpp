#include "muster/config/host_port.hpp"

#include <algorithm>
#include <cctype>

#include "muster/config/number_text.hpp"

namespace muster::config {

result<host_port_text> parse_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view host = colon == std::string_view::npos ? std::string_view{} : text.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto number = parse_integer(port);
  if (!number || *number < 0 || *number > 65535 || port.front() == '+') {
    return fail(errc::invalid_argument, "the port has to be a number from 0 to 65535");
  }
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return fail(errc::invalid_argument, "an IPv6 address stands in brackets");
  }
  const auto is_odd = [](unsigned char c) { return std::isspace(c) != 0 || std::iscntrl(c) != 0 || c == '/'; };
  if (std::any_of(host.begin(), host.end(), is_odd)) {
    return fail(errc::invalid_argument, "the host has a character that no host has");
  }
  return host_port_text{host.empty() ? "127.0.0.1" : std::string{host}, static_cast<std::uint16_t>(*number)};
}

}  // namespace muster::config

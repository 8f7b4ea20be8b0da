#include "muster/actor/actor_address.hpp"

#include <algorithm>

namespace muster {

std::string to_string(const actor_address& of) {
  return fmt::format("{}{}#{}", of.node.name, of.path, of.incarnation.value());
}

namespace actor_kernel {

result<void> check_name(std::string_view what, std::string_view name, std::size_t length_max) {
  constexpr std::string_view signs = "_-.:@";
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || signs.find(c) != signs.npos;
  };
  if (name.empty() || name.size() > length_max || !std::all_of(name.begin(), name.end(), allowed)) {
    return fail(errc::invalid_argument, "{} '{}' must be 1 to {} letters, digits or any of {}", what,
                name.substr(0, length_max), length_max, signs);
  }
  return {};
}

}  // namespace actor_kernel
}  // namespace muster

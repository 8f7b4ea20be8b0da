#include "muster/locator/replies.hpp"

#include <array>
#include <string_view>

#include "muster/base/invariant.hpp"
#include "muster/locator/proxy_transcoding.hpp"

namespace muster::locator {

namespace {

void append_stored(encoding version, byte_view proxy, bytes& out) {
  if (version == encoding::v1_1) {
    append(out, proxy);
    return;
  }
  ice_reader in{proxy};
  const bool written = transcode_proxy(in, encoding::v1_1, version, out).has_value();
  MUSTER_INVARIANT(written && in.at_end(), "a stored proxy was checked when it came in");
}

constexpr std::array<std::string_view, 5> exception_types{
    "::Ice::ObjectNotFoundException", "::Ice::AdapterNotFoundException", "::Ice::AdapterAlreadyActiveException",
    "::Ice::InvalidReplicaGroupIdException", "::Ice::ServerNotFoundException"};

// An exception without base and members. In 1.1 (compact format): flags of the slice, type. In 1.0: whether classes
// follow, type, and the size of the slice, which counts itself.
bytes make_exception(encoding version, std::string_view type) {
  bytes out;
  const std::size_t at = begin_encapsulation(out, version);
  out.push_back(0);
  append_string(out, type);
  if (version == encoding::v1_0) append_i32(out, 4);
  end_encapsulation(out, at);
  return out;
}

}  // namespace

void append_proxy_reply(encoding version, byte_view proxy, bytes& out) {
  const std::size_t at = begin_encapsulation(out, version);
  append_stored(version, proxy, out);
  end_encapsulation(out, at);
}

void append_null_reply(encoding version, bytes& out) { append_proxy_reply(version, null_proxy, out); }

void append_proxies_reply(encoding version, std::span<const byte_view> proxies, bytes& out) {
  const std::size_t at = begin_encapsulation(out, version);
  append_size(out, proxies.size());
  for (const byte_view proxy : proxies) append_stored(version, proxy, out);
  end_encapsulation(out, at);
}

byte_view void_reply(encoding version) noexcept {
  static constexpr std::uint8_t replies[2][encapsulation_header_bytes]{{6, 0, 0, 0, 1, 0}, {6, 0, 0, 0, 1, 1}};
  return replies[static_cast<std::size_t>(version)];
}

byte_view exception_reply(encoding version, locator_exception which) noexcept {
  using of_version = std::array<bytes, exception_types.size()>;
  static const std::array<of_version, 2> replies = [] {
    std::array<of_version, 2> made;
    for (const encoding one : {encoding::v1_0, encoding::v1_1}) {
      for (std::size_t i = 0; i < exception_types.size(); ++i) {
        made[static_cast<std::size_t>(one)][i] = make_exception(one, exception_types[i]);
      }
    }
    return made;
  }();
  return replies[static_cast<std::size_t>(version)][static_cast<std::size_t>(which)];
}

}  // namespace muster::locator

#include "muster/locator/proxy_transcoding.hpp"

namespace muster::locator {

namespace {

// Endpoint types of Ice 3.7 (Ice/EndpointTypes.ice).
constexpr std::uint16_t type_tcp = 1;
constexpr std::uint16_t type_udp = 3;
constexpr std::uint16_t type_ws = 4;
constexpr std::uint16_t type_wss = 5;

// Type, size, version, and nothing inside.
constexpr std::size_t endpoint_bytes_min = 2 + encapsulation_header_bytes;

// A udp endpoint carries versions in 1.0; the runtime writes these and ignores what it reads.
constexpr std::uint8_t udp_versions_1_0[]{1, 0, 1, 0};

struct endpoint {
  std::uint16_t type{};
  std::uint8_t major{};
  std::uint8_t minor{};
  byte_view content;
};

endpoint read_endpoint(ice_reader& in) {
  endpoint one;
  one.type = in.u16();
  const std::int32_t size = in.i32();
  if (size < static_cast<std::int32_t>(encapsulation_header_bytes)) in.set_failed();
  one.major = in.u8();
  one.minor = in.u8();
  if (!in.failed()) one.content = in.take(static_cast<std::size_t>(size) - encapsulation_header_bytes);
  return one;
}

bool is_known(std::uint16_t type) { return type >= type_tcp && type <= type_wss; }

// The content of a udp endpoint of one version in the other. False if it is not what it should be.
bool append_udp(byte_view content, encoding from, encoding to, bytes& out) {
  ice_reader in{content};
  (void)in.string();  // host
  (void)in.i32();     // port
  if (in.failed()) return false;
  append(out, content.first(content.size() - in.rest().size()));
  if (from == encoding::v1_0) (void)in.take(sizeof udp_versions_1_0);
  const std::uint8_t compress = in.u8();
  if (in.failed() || !in.at_end()) return false;
  if (to == encoding::v1_0) append(out, udp_versions_1_0);
  out.push_back(compress);
  return true;
}

bool is_stream_content(std::uint16_t type, byte_view content) {
  ice_reader in{content};
  (void)in.string();                                           // host
  (void)in.take(4 + 4 + 1);                                    // port, timeout, compress
  if (type == type_ws || type == type_wss) (void)in.string();  // resource
  return !in.failed() && in.at_end();
}

void append_endpoint(const endpoint& one, encoding to, bytes& out) {
  out.push_back(static_cast<std::uint8_t>(one.type));
  out.push_back(static_cast<std::uint8_t>(one.type >> 8U));
  const bool version_known = one.major == 1 && one.minor <= 1;
  const std::size_t at = begin_encapsulation(out, to);
  if (version_known && is_known(one.type)) {
    if (one.type == type_udp) {
      if (append_udp(one.content, static_cast<encoding>(one.minor), to, out)) return end_encapsulation(out, at);
    } else if (is_stream_content(one.type, one.content)) {
      append(out, one.content);
      return end_encapsulation(out, at);
    }
  }
  // Not ours to rewrite: the version and the content stay together.
  out.resize(at + encapsulation_header_bytes);
  out[at + 4] = one.major;
  out[at + 5] = one.minor;
  append(out, one.content);
  end_encapsulation(out, at);
}

void append_proxy(ice_reader& in, encoding from, encoding to, bytes& out) {
  const std::string_view name = in.string();
  const std::string_view category = in.string();
  if (name.empty()) {
    append_string(out, {});
    append_string(out, {});
    return;
  }
  append_string(out, name);
  append_string(out, category);

  const std::size_t facets = in.count(1);
  if (facets > 1) in.set_failed();
  append_size(out, facets);
  if (facets == 1) append_string(out, in.string());

  append(out, in.take(2));  // mode, secure
  constexpr std::uint8_t versions_1_0[]{1, 0, 1, 0};
  const byte_view versions = from == encoding::v1_1 ? in.take(4) : byte_view{versions_1_0};
  if (to == encoding::v1_1) append(out, versions);

  const std::size_t endpoints = in.count(endpoint_bytes_min);
  append_size(out, endpoints);
  if (endpoints == 0) append_string(out, in.string());  // adapter id
  for (std::size_t i = 0; i < endpoints && !in.failed(); ++i) {
    const endpoint one = read_endpoint(in);
    if (!in.failed()) append_endpoint(one, to, out);
  }
}

}  // namespace

result<void> transcode_proxy(ice_reader& in, encoding from, encoding to, bytes& out) {
  const std::size_t before = out.size();
  append_proxy(in, from, to, out);
  if (in.failed()) {
    out.resize(before);
    return fail(errc::corrupt, "the bytes are not a proxy in encoding 1.{}", static_cast<int>(from));
  }
  return {};
}

}  // namespace muster::locator

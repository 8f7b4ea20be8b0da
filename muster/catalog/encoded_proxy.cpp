#include "muster/catalog/encoded_proxy.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "muster/base/invariant.hpp"

namespace muster::catalog {

namespace {

// An endpoint is its type (two bytes) and an encapsulation, whose size (four bytes) counts itself and the version of
// its encoding (two bytes).
constexpr std::size_t type_bytes = 2;
constexpr std::size_t encapsulation_bytes_min = 6;

/// Reads Ice's encoding: sizes of one byte, or of 255 and four bytes, little-endian. Once something does not fit, the
/// reader stays failed and gives empty values.
class ice_reader {
 public:
  explicit ice_reader(byte_view input) noexcept : input_{input} {}

  [[nodiscard]] std::uint8_t octet() noexcept {
    const auto taken = take(1);
    return taken.empty() ? std::uint8_t{0} : taken.front();
  }
  [[nodiscard]] std::size_t int32() noexcept {
    std::uint32_t value = 0;
    unsigned shift = 0;
    for (const auto part : take(4)) {
      value |= static_cast<std::uint32_t>(part) << shift;
      shift += 8;
    }
    if (value > 0x7fffffffU) failed_ = true;
    return value;
  }
  [[nodiscard]] std::size_t size() noexcept {
    const auto first = octet();
    if (first != 255) return first;
    const auto value = int32();
    if (value < 255) failed_ = true;  // Ice writes the shortest form, and equal proxies have to be equal bytes
    return failed_ ? 0 : value;
  }
  [[nodiscard]] std::string_view string() noexcept {
    const auto taken = take(size());
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  byte_view take(std::size_t wanted) noexcept {
    if (failed_ || wanted > input_.size() - position_) {
      failed_ = true;
      return {};
    }
    const auto taken = input_.subspan(position_, wanted);
    position_ += wanted;
    return taken;
  }
  /// The whole endpoint, type and all.
  byte_view endpoint() noexcept {
    const std::size_t start = position_;
    take(type_bytes);
    const std::size_t encapsulation_bytes = int32();
    if (encapsulation_bytes < encapsulation_bytes_min) failed_ = true;
    take(failed_ ? 0 : encapsulation_bytes - 4);
    return failed_ ? byte_view{} : input_.subspan(start, position_ - start);
  }

  void set_failed() noexcept { failed_ = true; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  byte_view input_;
  std::size_t position_{0};
  bool failed_{false};
};

void append(bytes& out, byte_view content) { out.insert(out.end(), content.begin(), content.end()); }

void append_size(bytes& out, std::size_t size) {
  MUSTER_INVARIANT(size <= 0x7fffffffU, "Ice has no sizes beyond 31 bits");
  if (size < 255) {
    out.push_back(static_cast<std::uint8_t>(size));
    return;
  }
  out.push_back(255);
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>((size >> shift) & 0xffU));
}

void append_string(bytes& out, std::string_view text) {
  append_size(out, text.size());
  out.insert(out.end(), text.begin(), text.end());
}

[[nodiscard]] std::size_t identity_bytes(identity_view id) noexcept {
  const auto with_size = [](std::string_view text) { return text.size() + (text.size() < 255 ? 1U : 5U); };
  return with_size(id.name) + with_size(id.category);
}

/// The endpoints of all proxies, each once, in order.
[[nodiscard]] std::vector<byte_view> distinct_endpoints(std::span<const proxy_view> several) {
  constexpr std::size_t few = 16;  // up to here, comparing with all is cheaper than hashing
  std::vector<byte_view> distinct;
  std::unordered_set<std::string_view> seen;
  const auto text_of = [](byte_view endpoint) {
    return std::string_view{reinterpret_cast<const char*>(endpoint.data()), endpoint.size()};
  };
  for (const auto& one : several) {
    ice_reader reader{one.endpoints};
    for (std::size_t i = 0; i != one.endpoint_count; ++i) {
      const auto endpoint = reader.endpoint();
      if (distinct.size() < few) {
        if (std::ranges::none_of(distinct, [&](byte_view known) { return std::ranges::equal(known, endpoint); })) {
          distinct.push_back(endpoint);
        }
        continue;
      }
      if (seen.empty()) {
        for (const auto known : distinct) seen.insert(text_of(known));
      }
      if (seen.insert(text_of(endpoint)).second) distinct.push_back(endpoint);
    }
  }
  return distinct;
}

}  // namespace

result<proxy_view> parse_front(byte_view& input) {
  ice_reader reader{input};
  proxy_view view;
  view.identity.name = reader.string();
  view.identity.category = reader.string();
  if (!view.is_null()) {
    // Ice writes the facet as a sequence of strings for historical reasons; more than one is an error there too.
    const auto facets = reader.size();
    if (facets > 1) reader.set_failed();
    if (facets == 1) {
      view.facet = reader.string();
      if (view.facet.empty()) reader.set_failed();
    }
    const auto mode = reader.octet();
    if (mode > static_cast<std::uint8_t>(proxy_mode::batch_datagram)) reader.set_failed();
    view.mode = static_cast<proxy_mode>(mode);
    const auto secure = reader.octet();
    if (secure > 1) reader.set_failed();
    view.secure = secure == 1;
    view.protocol = {reader.octet(), reader.octet()};
    view.encoding = {reader.octet(), reader.octet()};
    view.header = input.first(reader.failed() ? 0 : reader.position());

    view.endpoint_count = reader.size();
    const std::size_t endpoints_start = reader.position();
    for (std::size_t i = 0; i != view.endpoint_count && !reader.failed(); ++i) reader.endpoint();
    if (!reader.failed()) view.endpoints = input.subspan(endpoints_start, reader.position() - endpoints_start);
    if (view.endpoint_count == 0) view.adapter_id = reader.string();
  }
  if (reader.failed())
    return fail(errc::corrupt, "{} bytes are not, or do not begin with, an encoded proxy", input.size());
  view.all = input.first(reader.position());
  input = input.subspan(reader.position());
  return view;
}

result<proxy_view> parse(byte_view input) {
  byte_view rest = input;
  auto view = parse_front(rest);
  if (view && !rest.empty()) return fail(errc::corrupt, "an encoded proxy has {} bytes too many", rest.size());
  return view;
}

result<encoded_proxy> encoded_proxy::read(byte_view input) {
  if (const auto view = parse(input); !view) return fail(view.error());
  return encoded_proxy{bytes{input.begin(), input.end()}};
}

encoded_proxy encoded_proxy::indirect(identity_view identity, std::string_view adapter_id,
                                      const proxy_options& options) {
  if (identity.is_none()) return {};
  bytes out;
  out.reserve(identity_bytes(identity) + options.facet.size() + adapter_id.size() + 32);
  append_string(out, identity.name);
  append_string(out, identity.category);
  append_size(out, options.facet.empty() ? 0 : 1);
  if (!options.facet.empty()) append_string(out, options.facet);
  out.push_back(static_cast<std::uint8_t>(options.mode));
  out.push_back(options.secure ? 1 : 0);
  for (const auto part :
       {options.protocol.major, options.protocol.minor, options.encoding.major, options.encoding.minor}) {
    out.push_back(part);
  }
  append_size(out, 0);
  append_string(out, adapter_id);
  return encoded_proxy{std::move(out)};
}

encoded_proxy encoded_proxy::with_endpoints_of(const proxy_view& first, std::span<const proxy_view> several) {
  bytes out;
  append_merged(out, first, several);
  return encoded_proxy{std::move(out)};
}

encoded_proxy encoded_proxy::with_identity(identity_view identity) const {
  if (is_null() || identity.is_none()) return {};
  const auto rest = content().subspan(identity_bytes(trusted_identity(content_)));
  bytes out;
  out.reserve(identity_bytes(identity) + rest.size());
  append_string(out, identity.name);
  append_string(out, identity.category);
  append(out, rest);
  return encoded_proxy{std::move(out)};
}

proxy_view encoded_proxy::view() const noexcept { return trusted_view(content_); }

void append_merged(bytes& out, const proxy_view& first, std::span<const proxy_view> several) {
  std::size_t bytes_max = first.all.size() + 5;
  for (const auto& one : several) bytes_max += one.endpoints.size();
  out.reserve(out.size() + bytes_max);

  const auto endpoints = first.is_null() ? std::vector<byte_view>{} : distinct_endpoints(several);
  if (endpoints.empty()) {
    append(out, first.all);
    return;
  }
  append(out, first.header);
  append_size(out, endpoints.size());
  for (const auto endpoint : endpoints) append(out, endpoint);
}

proxy_view trusted_view(byte_view content) noexcept {
  const auto view = parse(content);
  MUSTER_INVARIANT(view.has_value(), "a stored proxy was checked before it was stored");
  return *view;
}

identity_view trusted_identity(byte_view content) noexcept {
  ice_reader reader{content};
  identity_view identity;
  identity.name = reader.string();
  identity.category = reader.string();
  return identity;
}

}  // namespace muster::catalog

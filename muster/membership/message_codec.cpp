#include "muster/membership/message_codec.hpp"

#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "muster/base/tagged_codec.hpp"

namespace muster::membership {

namespace {

/// The kind byte. Numbers are never used again for something else.
enum class kind : std::uint8_t {
  ping = 1,
  ack = 2,
  ping_request = 3,
  nack = 4,
  gossip = 5,
  hello = 6,
  refused = 7,
  digest = 8,
  records = 9,
  removed_notice = 10,
};

// A claim's first byte: its standing, and whether address and meta follow.
constexpr std::uint8_t standing_bits = 0x07;
constexpr std::uint8_t has_details = 0x08;
constexpr std::size_t claim_bytes_min = 1 + 2 + 8 + 1;

bool is_handshake(kind value) {
  return value == kind::hello || value == kind::refused || value == kind::removed_notice;
}

bool carries_news(kind value) { return value <= kind::gossip; }

std::size_t size_bytes(std::uint64_t value) noexcept {
  return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

std::size_t blob_bytes(std::size_t length) noexcept { return size_bytes(length) + length; }

// --- reading within bounds ---

std::string_view get_text(byte_reader& in, std::size_t bytes_max, bool may_be_empty = false) {
  const std::string_view text = in.string();
  if (text.size() > bytes_max || (text.empty() && !may_be_empty)) {
    in.set_failed();
    return {};
  }
  return text;
}

byte_view get_meta(byte_reader& in) {
  const byte_view content = in.blob();
  if (content.size() > meta_bytes_max) {
    in.set_failed();
    return {};
  }
  return content;
}

std::uint32_t get_u32(byte_reader& in) {
  const std::uint64_t value = in.size();
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    in.set_failed();
    return 0;
  }
  return static_cast<std::uint32_t>(value);
}

incarnation get_incarnation(byte_reader& in, bool may_be_zero = false) {
  const incarnation value{in.u64()};
  if (value.value() == 0 && !may_be_zero) {
    in.set_failed();
  }
  return value;
}

// --- parts ---

void put(byte_writer& out, const claim& what) {
  const bool details = !is_final(what.standing) && !what.address.empty();
  out.u8(static_cast<std::uint8_t>(static_cast<std::uint8_t>(what.standing) | (details ? has_details : 0U)));
  out.string(what.name);
  out.u64(what.incarnation.value());
  if (is_final(what.standing)) {
    out.size(what.remembered_s);
    return;
  }
  out.size(what.counter);
  if (what.standing == standing::suspect) {
    out.u64(what.accuser.value());
  }
  if (details) {
    out.string(what.address);
    out.blob(what.meta);
  }
}

claim get_claim(byte_reader& in) {
  claim out;
  const std::uint8_t first = in.u8();
  const auto value = static_cast<std::uint8_t>(first & standing_bits);
  const bool details = (first & has_details) != 0;
  if ((first & ~(standing_bits | has_details)) != 0 || value > static_cast<std::uint8_t>(standing::removed)) {
    in.set_failed();
    return out;
  }
  out.standing = static_cast<standing>(value);
  out.name = get_text(in, name_bytes_max);
  out.incarnation = get_incarnation(in);
  if (is_final(out.standing)) {
    out.remembered_s = get_u32(in);
    if (details) {
      in.set_failed();
    }
    return out;
  }
  out.counter = get_u32(in);
  if (out.standing == standing::suspect) {
    out.accuser = get_incarnation(in, true);
  }
  if (details) {
    out.address = get_text(in, address_bytes_max);
    out.meta = get_meta(in);
  }
  return out;
}

void put(byte_writer& out, const std::vector<claim>& what) {
  out.size(what.size());
  for (const auto& one : what) {
    put(out, one);
  }
}

std::vector<claim> get_claims(byte_reader& in) {
  const std::size_t count = in.count(claim_bytes_min);
  std::vector<claim> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    out.push_back(get_claim(in));
  }
  return out;
}

void put(byte_writer& out, const introduction& what) {
  out.string(what.cluster);
  out.u8(what.versions.min);
  out.u8(what.versions.max);
  out.string(what.address);
  out.blob(what.meta);
  out.size(what.counter);
}

introduction get_introduction(byte_reader& in) {
  introduction out;
  out.cluster = get_text(in, cluster_bytes_max);
  out.versions.min = in.u8();
  out.versions.max = in.u8();
  out.address = get_text(in, address_bytes_max);
  out.meta = get_meta(in);
  out.counter = get_u32(in);
  return out;
}

// --- bodies: the layout of each in one place, writing beside reading ---

kind kind_of(const ping&) { return kind::ping; }
void put(byte_writer& out, const ping& what) { out.size(what.sequence); }
ping get_ping(byte_reader& in) { return {.sequence = in.size()}; }

kind kind_of(const ack&) { return kind::ack; }
void put(byte_writer& out, const ack& what) { out.size(what.sequence); }
ack get_ack(byte_reader& in) { return {.sequence = in.size()}; }

kind kind_of(const ping_request&) { return kind::ping_request; }
void put(byte_writer& out, const ping_request& what) {
  out.size(what.sequence);
  out.string(what.name);
  out.u64(what.incarnation.value());
}
ping_request get_ping_request(byte_reader& in) {
  ping_request out;
  out.sequence = in.size();
  out.name = get_text(in, name_bytes_max);
  out.incarnation = get_incarnation(in);
  return out;
}

kind kind_of(const nack&) { return kind::nack; }
void put(byte_writer& out, const nack& what) {
  out.size(what.sequence);
  out.u8(what.refused ? 1 : 0);
}
nack get_nack(byte_reader& in) {
  nack out;
  out.sequence = in.size();
  out.refused = get_bool(in);
  return out;
}

kind kind_of(const gossip&) { return kind::gossip; }
void put(byte_writer&, const gossip&) {}

kind kind_of(const hello&) { return kind::hello; }
void put(byte_writer& out, const hello& what) {
  out.u8(static_cast<std::uint8_t>(what.purpose));
  out.size(what.sequence);
  put(out, what.who);
  out.u64(what.root);
}
hello get_hello(byte_reader& in) {
  hello out;
  out.purpose = get_enum(in, hello_purpose::compare);
  out.sequence = in.size();
  out.who = get_introduction(in);
  out.root = in.u64();
  return out;
}

kind kind_of(const refused&) { return kind::refused; }
void put(byte_writer& out, const refused& what) {
  out.size(what.sequence);
  out.u8(static_cast<std::uint8_t>(what.reason));
  put(out, what.who);
}
refused get_refused(byte_reader& in) {
  refused out;
  out.sequence = in.size();
  out.reason = get_enum(in, refusal::full);
  out.who = get_introduction(in);
  return out;
}

kind kind_of(const digest&) { return kind::digest; }
void put(byte_writer& out, const digest& what) {
  out.size(what.sequence);
  put(out, what.who);
  out.size(what.buckets.size());
  for (const std::uint64_t one : what.buckets) {
    out.u64(one);
  }
}
digest get_digest(byte_reader& in) {
  digest out;
  out.sequence = in.size();
  out.who = get_introduction(in);
  const std::size_t count = in.count(8);
  if (count > buckets_max || (count != 0 && !std::has_single_bit(count))) {
    in.set_failed();
    return out;
  }
  out.buckets.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.buckets.push_back(in.u64());
  }
  return out;
}

kind kind_of(const records&) { return kind::records; }
void put(byte_writer& out, const records& what) {
  out.size(what.sequence);
  put(out, what.who);
  out.u8(what.is_last ? 1 : 0);
  out.u8(what.bucket_count);
  if (what.bucket_count != 0) {
    out.u64(what.wanted_low);
    out.u64(what.wanted_high);
  }
  put(out, what.table);
}
records get_records(byte_reader& in) {
  records out;
  out.sequence = in.size();
  out.who = get_introduction(in);
  out.is_last = get_bool(in);
  out.bucket_count = in.u8();
  if (out.bucket_count != 0) {
    if (out.bucket_count > buckets_max || !std::has_single_bit(out.bucket_count)) {
      in.set_failed();
    }
    out.wanted_low = in.u64();
    out.wanted_high = in.u64();
  }
  out.table = get_claims(in);
  return out;
}

kind kind_of(const removed_notice&) { return kind::removed_notice; }
void put(byte_writer& out, const removed_notice& what) {
  put(out, what.who);
  out.size(what.side_size);
  out.string(what.side_lowest);
  out.u8(what.is_answer ? 1 : 0);
  out.u64(what.successor.value());
  if (what.successor.value() != 0) {
    out.string(what.successor_name);
    out.string(what.successor_address);
  }
}
removed_notice get_removed_notice(byte_reader& in) {
  removed_notice out;
  out.who = get_introduction(in);
  out.side_size = in.size();
  out.side_lowest = get_text(in, address_bytes_max, true);
  out.is_answer = get_bool(in);
  out.successor = get_incarnation(in, true);
  if (out.successor.value() != 0) {
    out.successor_name = get_text(in, name_bytes_max);
    out.successor_address = get_text(in, address_bytes_max, true);
  }
  return out;
}

result<body> get_body(byte_reader& in, kind of) {
  switch (of) {
    case kind::ping: return get_ping(in);
    case kind::ack: return get_ack(in);
    case kind::ping_request: return get_ping_request(in);
    case kind::nack: return get_nack(in);
    case kind::gossip: return gossip{};
    case kind::hello: return get_hello(in);
    case kind::refused: return get_refused(in);
    case kind::digest: return get_digest(in);
    case kind::records: return get_records(in);
    case kind::removed_notice: return get_removed_notice(in);
  }
  return fail(errc::incompatible, "a membership message is of the unknown kind {}", static_cast<unsigned>(of));
}

}  // namespace

bytes encode(const message& what) {
  byte_writer out;
  std::visit(
      [&](const auto& content) {
        const kind of = kind_of(content);
        out.u8(is_handshake(of) ? handshake_version : supported_versions.max);
        out.u8(static_cast<std::uint8_t>(of));
        out.string(what.from.name);
        out.u64(what.from.incarnation.value());
        out.u64(what.from.to.value());
        put(out, content);
        if (carries_news(of)) {
          put(out, what.news);
        }
      },
      what.what);
  return std::move(out).take();
}

std::size_t encoded_bytes(const claim& what) noexcept {
  std::size_t out = 1 + blob_bytes(what.name.size()) + 8;
  if (is_final(what.standing)) {
    return out + size_bytes(what.remembered_s);
  }
  out += size_bytes(what.counter);
  if (what.standing == standing::suspect) {
    out += 8;
  }
  if (!what.address.empty()) {
    out += blob_bytes(what.address.size()) + blob_bytes(what.meta.size());
  }
  return out;
}

result<message> decode(byte_view input) {
  if (input.size() > any_message_bytes_max) {
    return fail(errc::corrupt, "a membership message has {} bytes; up to {} are allowed", input.size(),
                any_message_bytes_max);
  }
  byte_reader in{input};
  const std::uint8_t version = in.u8();
  const auto of = static_cast<kind>(in.u8());
  if (in.failed()) {
    return fail(errc::corrupt, "a membership message of {} bytes ends before its kind", input.size());
  }
  if (version != handshake_version && (version < supported_versions.min || version > supported_versions.max)) {
    return fail(errc::incompatible, "a membership message has version {}; this program knows {} to {}", version,
                supported_versions.min, supported_versions.max);
  }
  if ((version == handshake_version) != is_handshake(of)) {
    return fail(errc::incompatible, "a membership message of version {} has the unknown kind {}", version,
                static_cast<unsigned>(of));
  }
  message out;
  out.from.name = get_text(in, name_bytes_max);
  out.from.incarnation = get_incarnation(in);
  out.from.to = get_incarnation(in, true);
  auto content = get_body(in, of);
  if (!content) {
    return fail(std::move(content).error());
  }
  out.what = *std::move(content);
  if (carries_news(of)) {
    out.news = get_claims(in);
  }
  if (version == handshake_version && !in.failed()) {
    return out;  // a later program may have put more at the end
  }
  if (auto whole = in.finish("a membership message"); !whole) {
    return fail(std::move(whole).error());
  }
  return out;
}

}  // namespace muster::membership

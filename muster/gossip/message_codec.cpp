#include "muster/gossip/message_codec.hpp"

#include <limits>
#include <utility>

#include "muster/base/codec.hpp"
#include "muster/base/invariant.hpp"
#include "muster/base/tagged_codec.hpp"

namespace muster::gossip {

namespace {

// --- parts ---

/// One flag byte precedes each operation: what it does, and which parts are those of the operation before.
constexpr std::uint8_t flag_removes = 1U << 0U;
constexpr std::uint8_t flag_same_path = 1U << 1U;
constexpr std::uint8_t flag_same_incarnation = 1U << 2U;
constexpr std::uint8_t flag_same_type = 1U << 3U;
constexpr std::uint8_t flags_all = 0x0fU;

// The least that one of each takes: what a count is checked against before anything is allocated.
constexpr std::size_t operation_bytes_min = 2;
constexpr std::size_t origin_bytes_min = 2;

shared_text get_text(byte_reader& in) {
  const std::string_view text = in.string();
  if (text.size() > wire_text_bytes_max) {
    in.set_failed();
    return {};
  }
  return shared_text{text};
}

void put(byte_writer& out, const origin_id& what) {
  out.string(what.node.view());
  out.size(what.life.value());
}

origin_id get_origin(byte_reader& in) {
  shared_text node = get_text(in);
  return {node_id{std::move(node)}, incarnation{in.size()}};
}

void put(byte_writer& out, const mark& what) {
  out.size(what.at.value());
  out.size(what.count);
  out.u64(what.checksum);
}

mark get_mark(byte_reader& in) {
  mark out;
  out.at = version{in.size()};
  out.count = in.size();
  out.checksum = in.u64();
  return out;
}

/// Writes registrations one after the other, each by what differs from the one before.
class registration_writer {
 public:
  explicit registration_writer(byte_writer& out) noexcept : out_{out} {}

  void put(const registration& what, bool removes) {
    const entry& now = what.what;
    const bool same_path = now.path == before_.path;
    const bool same_incarnation = now.incarnation == before_.incarnation;
    const bool same_type = now.type == before_.type;
    out_.u8(static_cast<std::uint8_t>((removes ? flag_removes : 0U) | (same_path ? flag_same_path : 0U) |
                                      (same_incarnation ? flag_same_incarnation : 0U) |
                                      (same_type ? flag_same_type : 0U)));
    out_.string(what.key.view());
    if (!same_path) {
      out_.string(now.path.view());
    }
    if (!same_incarnation) {
      out_.size(now.incarnation);
    }
    if (!same_type) {
      out_.string(now.type.view());
    }
    before_ = now;
  }

 private:
  byte_writer& out_;
  entry before_;
};

class registration_reader {
 public:
  explicit registration_reader(byte_reader& in) noexcept : in_{in} {}

  operation get() {
    const std::uint8_t flags = in_.u8();
    if ((flags & ~flags_all) != 0) {
      in_.set_failed();
    }
    operation out;
    out.removes = (flags & flag_removes) != 0;
    out.what.key = get_text(in_);
    if ((flags & flag_same_path) == 0) {
      before_.path = get_text(in_);
    }
    if ((flags & flag_same_incarnation) == 0) {
      before_.incarnation = in_.size();
    }
    if ((flags & flag_same_type) == 0) {
      before_.type = get_text(in_);
    }
    out.what.what = before_;
    return out;
  }

 private:
  byte_reader& in_;
  entry before_;
};

void put(byte_writer& out, const origin_update& what) {
  put(out, what.origin);
  out.u8(what.is_whole ? 1 : 0);
  // Operations are numbered without a gap, so the version after the last needs no bytes.
  out.size(what.is_whole ? what.after.at.value() : what.base.value());
  out.size(what.after.count);
  out.u64(what.after.checksum);
  out.size(what.more);
  out.size(what.operations.size());
  registration_writer each{out};
  for (const operation& one : what.operations) {
    each.put(one.what, one.removes);
  }
}

origin_update get_origin_update(byte_reader& in) {
  origin_update out;
  out.origin = get_origin(in);
  out.is_whole = get_bool(in);
  const std::uint64_t number = in.size();
  out.after.count = in.size();
  out.after.checksum = in.u64();
  out.more = in.size();
  const std::size_t count = in.count(operation_bytes_min);
  if (!out.is_whole) {
    out.base = version{number};
    if (number > std::numeric_limits<std::uint64_t>::max() - count) {
      in.set_failed();
    }
  }
  out.after.at = version{out.is_whole ? number : number + count};
  registration_reader each{in};
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    out.operations.push_back(each.get());
    if (out.is_whole && out.operations.back().removes) {
      in.set_failed();
    }
  }
  return out;
}

// --- messages: `put` and `get` of one kind stand together ---

void put(byte_writer& out, const update& what) {
  out.u8(what.hops);
  out.size(what.parts.size());
  for (const origin_update& one : what.parts) {
    put(out, one);
  }
}

void get(byte_reader& in, update& out) {
  out.hops = in.u8();
  const std::size_t count = in.count(origin_bytes_min + 13);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    out.parts.push_back(get_origin_update(in));
  }
}

void put(byte_writer& out, const root& what) { out.u64(what.hash); }

void get(byte_reader& in, root& out) { out.hash = in.u64(); }

void put(byte_writer& out, const buckets& what) {
  for (const std::uint64_t hash : what.hashes) {
    out.u64(hash);
  }
}

void get(byte_reader& in, buckets& out) {
  for (std::uint64_t& hash : out.hashes) {
    hash = in.u64();
  }
}

void put(byte_writer& out, const digest& what) {
  out.u64(what.first.value());
  out.u64(what.last.value());
  out.size(what.lines.size());
  for (const digest_line& one : what.lines) {
    put(out, one.origin);
    // 0 says forgotten: an origin that has made no operation has no line.
    out.size(one.is_forgotten ? 0 : one.at.value());
  }
}

void get(byte_reader& in, digest& out) {
  out.first = place{in.u64()};
  out.last = place{in.u64()};
  const std::size_t count = in.count(origin_bytes_min + 1);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    digest_line line;
    line.origin = get_origin(in);
    line.at = version{in.size()};
    line.is_forgotten = line.at == version{0};
    out.lines.push_back(std::move(line));
  }
}

void put(byte_writer& out, const greeting& what) {
  put(out, what.own);
  out.u8(what.asks ? 1 : 0);
}

void get(byte_reader& in, greeting& out) {
  out.own = get_mark(in);
  out.asks = get_bool(in);
}

void put(byte_writer& out, const want& what) {
  out.size(what.lines.size());
  for (const wanted& one : what.lines) {
    put(out, one.origin);
    out.size(one.have.value());
  }
}

void get(byte_reader& in, want& out) {
  const std::size_t count = in.count(origin_bytes_min + 1);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    wanted line;
    line.origin = get_origin(in);
    line.have = version{in.size()};
    out.lines.push_back(std::move(line));
  }
}

void put(byte_writer& out, const chunk& what) {
  put(out, what.origin);
  put(out, what.at);
  out.size(what.index);
  out.size(what.count);
  out.size(what.content.size());
  registration_writer each{out};
  for (const registration& one : what.content) {
    each.put(one, false);
  }
}

void get(byte_reader& in, chunk& out) {
  out.origin = get_origin(in);
  out.at = get_mark(in);
  const std::uint64_t index = in.size();
  const std::uint64_t of = in.size();
  if (index >= of || of > wire_chunks_max) {
    in.set_failed();
    return;
  }
  out.index = static_cast<std::uint32_t>(index);
  out.count = static_cast<std::uint32_t>(of);
  const std::size_t count = in.count(operation_bytes_min);
  registration_reader each{in};
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    operation one = each.get();
    if (one.removes) {
      in.set_failed();
    }
    out.content.push_back(std::move(one.what));
  }
}

void put(byte_writer& out, const want_chunks& what) {
  put(out, what.origin);
  out.size(what.at.value());
  out.size(what.indexes.size());
  for (const std::uint32_t index : what.indexes) {
    out.size(index);
  }
}

void get(byte_reader& in, want_chunks& out) {
  out.origin = get_origin(in);
  out.at = version{in.size()};
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    const std::uint64_t index = in.size();
    if (index >= wire_chunks_max) {
      in.set_failed();
    }
    out.indexes.push_back(static_cast<std::uint32_t>(index));
  }
}

void put(byte_writer& out, const forgotten& what) { put(out, what.origin); }

void get(byte_reader& in, forgotten& out) { out.origin = get_origin(in); }

}  // namespace

bytes encode(const message& what) {
  byte_writer out;
  out.u8(wire_version);
  out.u8(static_cast<std::uint8_t>(what.index()));
  std::visit([&](const auto& one) { put(out, one); }, what);
  return std::move(out).take();
}

result<message> decode(byte_view input) {
  byte_reader in{input};
  const std::uint8_t spoken = in.u8();
  const std::uint8_t kind = in.u8();
  if (in.failed()) {
    return fail(errc::corrupt, "a gossip message of {} bytes is shorter than any", input.size());
  }
  if (spoken != wire_version) {
    return fail(errc::incompatible, "a gossip message of version {}; this program speaks {}", spoken, wire_version);
  }
  message out;
  if (!get_alternative(in, kind, out, [](byte_reader& from, auto& what) { get(from, what); })) {
    return fail(errc::incompatible, "a gossip message of kind {} is not known here", kind);
  }
  if (in.failed() || !in.at_end()) {
    return fail(errc::corrupt, "a gossip message of kind {} and {} bytes is malformed", kind, input.size());
  }
  return out;
}

std::size_t encoded_bytes_max(const registration& what) noexcept {
  // The flags, three sizes of at most three bytes each, a number of at most ten.
  return what.key.size() + what.what.path.size() + what.what.type.size() + 1 + 9 + 10;
}

std::size_t encoded_bytes_max(const origin_id& what) noexcept { return what.node.value().size() + 3 + 10; }

}  // namespace muster::gossip

#include "muster/replication/message_codec.hpp"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "muster/base/codec.hpp"
#include "muster/base/invariant.hpp"
#include "muster/base/tagged_codec.hpp"

namespace muster::replication {

namespace {

// The kind byte is the alternative's index in `message`: append new kinds at its end only.
constexpr std::uint8_t last_handshake_kind = 3;
static_assert(std::is_same_v<std::variant_alternative_t<last_handshake_kind, message>, refused>);

constexpr std::size_t entries_in_a_message_max = 65'536;

// --- parts ---

void put(byte_writer& out, const replica_info& what) {
  out.string(what.name);
  out.blob(what.endpoints);
}

replica_info get_replica_info(byte_reader& in) {
  replica_info out;
  out.name = std::string{in.string()};
  const byte_view endpoints = in.blob();
  out.endpoints.assign(endpoints.begin(), endpoints.end());
  return out;
}

void put(byte_writer& out, const roster& what) {
  out.size(what.version);
  out.u8(what.master_first ? 1 : 0);
  out.size(what.replicas.size());
  for (const auto& one : what.replicas) {
    put(out, one);
  }
}

roster get_roster(byte_reader& in) {
  roster out;
  out.version = in.size();
  out.master_first = get_bool(in);
  const std::size_t count = in.count(2);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    out.replicas.push_back(get_replica_info(in));
  }
  return out;
}

void put(byte_writer& out, const self_description& what) {
  out.u8(what.versions.min);
  out.u8(what.versions.max);
  out.string(what.name);
  out.id(what.incarnation);
  out.u8(static_cast<std::uint8_t>(what.role));
  out.u8(static_cast<std::uint8_t>(what.phase));
  encode(out, what.history);
  out.blob(what.endpoints);
}

self_description get_self_description(byte_reader& in) {
  self_description out;
  out.versions.min = in.u8();
  out.versions.max = in.u8();
  out.name = std::string{in.string()};
  out.incarnation = in.id();
  out.role = get_enum(in, role::slave);
  out.phase = get_enum(in, phase::failed);
  out.history = decode_history(in);
  const byte_view endpoints = in.blob();
  out.endpoints.assign(endpoints.begin(), endpoints.end());
  return out;
}

/// Changes that follow each other after `previous`, which is written elsewhere.
void put(byte_writer& out, const std::vector<log_entry>& what, serial previous) {
  out.size(what.size());
  for (const auto& entry : what) {
    MUSTER_INVARIANT(entry.number == next(previous), "the changes of a message follow each other without a gap");
    previous = entry.number;
    out.blob(entry.change.view());
  }
}

std::vector<log_entry> get_entries(byte_reader& in, serial previous) {
  const std::size_t count = in.count();
  if (count > entries_in_a_message_max || previous.value() > std::numeric_limits<std::uint64_t>::max() - count) {
    in.set_failed();
  }
  std::vector<log_entry> out;
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    previous = next(previous);
    out.push_back({previous, shared_bytes{in.blob()}});
  }
  return out;
}

// --- messages: `put` and `get` of one kind stand together ---

void put(byte_writer& out, const describe& what) {
  out.size(what.round);
  put(out, what.from);
}

void get(byte_reader& in, describe& out) {
  out.round = in.size();
  out.from = get_self_description(in);
}

void put(byte_writer& out, const description& what) {
  out.size(what.round);
  put(out, what.from);
}

void get(byte_reader& in, description& out) {
  out.round = in.size();
  out.from = get_self_description(in);
}

void put(byte_writer& out, const open& what) {
  out.u64(what.attempt);
  out.u8(static_cast<std::uint8_t>(what.purpose));
  out.u8(what.wants_snapshot ? 1 : 0);
  put(out, what.from);
}

void get(byte_reader& in, open& out) {
  out.attempt = in.u64();
  out.purpose = get_enum(in, open_purpose::copy);
  out.wants_snapshot = get_bool(in);
  out.from = get_self_description(in);
}

void put(byte_writer& out, const refused& what) {
  out.u64(what.attempt);
  out.u8(static_cast<std::uint8_t>(what.reason));
  out.string(what.sentence);
  put(out, what.from);
}

void get(byte_reader& in, refused& out) {
  out.attempt = in.u64();
  out.reason = get_enum(in, refusal::cannot_apply);
  out.sentence = std::string{in.string()};
  out.from = get_self_description(in);
}

void put(byte_writer& out, const opened& what) {
  out.u64(what.attempt);
  out.u64(what.session.value());
  out.u8(what.version);
  out.u8(static_cast<std::uint8_t>(what.plan));
  put(out, what.from);
  put(out, what.replicas);
}

void get(byte_reader& in, opened& out) {
  out.attempt = in.u64();
  out.session = session_id{in.u64()};
  out.version = in.u8();
  out.plan = get_enum(in, catch_up_plan::snapshot);
  out.from = get_self_description(in);
  out.replicas = get_roster(in);
}

void put(byte_writer& out, const append& what) {
  out.u64(what.session.value());
  encode(out, what.current);
  out.size(what.previous.value());
  out.size(what.acknowledged.value());
  out.u8(what.active ? 1 : 0);
  out.size(what.roster_version);
  out.u8(what.replicas ? 1 : 0);
  if (what.replicas) {
    put(out, *what.replicas);
  }
  put(out, what.entries, what.previous);
}

void get(byte_reader& in, append& out) {
  out.session = session_id{in.u64()};
  out.current = decode_term(in);
  out.previous = serial{in.size()};
  out.acknowledged = serial{in.size()};
  out.active = get_bool(in);
  out.roster_version = in.size();
  if (get_bool(in)) {
    out.replicas = get_roster(in);
  }
  out.entries = get_entries(in, out.previous);
}

void put(byte_writer& out, const appended& what) {
  out.u64(what.session.value());
  out.size(what.last.value());
  out.size(what.roster_version);
  out.u8(what.endpoints ? 1 : 0);
  if (what.endpoints) {
    out.blob(*what.endpoints);
  }
}

void get(byte_reader& in, appended& out) {
  out.session = session_id{in.u64()};
  out.last = serial{in.size()};
  out.roster_version = in.size();
  if (get_bool(in)) {
    const byte_view endpoints = in.blob();
    out.endpoints.emplace(endpoints.begin(), endpoints.end());
  }
}

void put(byte_writer& out, const snapshot_chunk& what) {
  out.u64(what.session.value());
  out.size(what.index);
  out.u8(what.is_last ? 1 : 0);
  encode(out, what.history);
  out.blob(what.content.view());
  put(out, what.recent, what.history.acknowledged);
}

void get(byte_reader& in, snapshot_chunk& out) {
  out.session = session_id{in.u64()};
  out.index = in.size();
  out.is_last = get_bool(in);
  out.history = decode_history(in);
  out.content = shared_bytes{in.blob()};
  out.recent = get_entries(in, out.history.acknowledged);
}

void put(byte_writer& out, const snapshot_received& what) {
  out.u64(what.session.value());
  out.size(what.next_index);
}

void get(byte_reader& in, snapshot_received& out) {
  out.session = session_id{in.u64()};
  out.next_index = in.size();
}

void put(byte_writer& out, const closed& what) {
  out.u64(what.session.value());
  out.u8(static_cast<std::uint8_t>(what.reason));
  out.string(what.sentence);
}

void get(byte_reader& in, closed& out) {
  out.session = session_id{in.u64()};
  out.reason = get_enum(in, refusal::cannot_apply);
  out.sentence = std::string{in.string()};
}

}  // namespace

bytes encode(const message& what, std::uint8_t session_version) {
  const auto kind = static_cast<std::uint8_t>(what.index());
  const bool is_handshake = kind <= last_handshake_kind;
  MUSTER_INVARIANT(is_handshake || session_version != handshake_version, "a session speaks the version it agreed on");
  byte_writer out;
  out.u8(is_handshake ? handshake_version : session_version);
  out.u8(kind);
  std::visit([&](const auto& one) { put(out, one); }, what);
  return std::move(out).take();
}

result<message> decode(byte_view input) {
  byte_reader in{input};
  const std::uint8_t version = in.u8();
  const std::uint8_t kind = in.u8();
  if (in.failed()) {
    return fail(errc::corrupt, "a replication message of {} bytes is shorter than any", input.size());
  }
  const bool is_handshake = version == handshake_version;
  if (!is_handshake && (version < supported_versions.min || version > supported_versions.max)) {
    return fail(errc::incompatible, "a replication message of version {}; this program speaks {} to {}", version,
                supported_versions.min, supported_versions.max);
  }
  if (is_handshake != (kind <= last_handshake_kind)) {
    return fail(errc::incompatible, "a replication message of kind {} in version {} is not known here", kind, version);
  }
  message out;
  if (!get_alternative(in, kind, out, [](byte_reader& from, auto& what) { get(from, what); })) {
    return fail(errc::incompatible, "a replication message of kind {} in version {} is not known here", kind, version);
  }
  // A later program may add fields to the end of a handshake message.
  if (in.failed() || !(is_handshake || in.at_end())) {
    return fail(errc::corrupt, "a replication message of kind {} and {} bytes is malformed", kind, input.size());
  }
  return out;
}

}  // namespace muster::replication

#include "muster/replication/durable_meta.hpp"

#include <cstdint>
#include <string>

#include "muster/base/codec.hpp"

namespace muster::replication {

namespace {

constexpr std::uint8_t meta_version = 1;

enum class role_byte : std::uint8_t { none = 0, master = 1, slave = 2 };

role_byte to_byte(const std::optional<role>& value) {
  if (!value) {
    return role_byte::none;
  }
  return *value == role::master ? role_byte::master : role_byte::slave;
}

}  // namespace

bytes encode(const durable_meta& what) {
  byte_writer out;
  out.u8(meta_version);
  encode(out, what.history);
  out.u8(static_cast<std::uint8_t>(to_byte(what.last_role)));
  out.size(what.known_replicas.size());
  for (const auto& known : what.known_replicas) {
    out.string(known.name);
    out.blob(known.endpoints);
  }
  return std::move(out).take();
}

result<durable_meta> decode_meta(byte_view input) {
  byte_reader in{input};
  const std::uint8_t version = in.u8();
  if (!in.failed() && version != meta_version) {
    return fail(errc::incompatible,
                "the database's description has format {}, this program reads {}: it was written by another version",
                version, meta_version);
  }
  durable_meta out;
  out.history = decode_history(in);
  switch (static_cast<role_byte>(in.u8())) {
    case role_byte::none: break;
    case role_byte::master: out.last_role = role::master; break;
    case role_byte::slave: out.last_role = role::slave; break;
    default: in.set_failed();
  }
  const std::size_t count = in.count(2);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    replica_info known;
    known.name = std::string{in.string()};
    const byte_view endpoints = in.blob();
    known.endpoints.assign(endpoints.begin(), endpoints.end());
    out.known_replicas.push_back(std::move(known));
  }
  if (auto whole = in.finish("the database's description"); !whole) {
    return fail(whole.error());
  }
  return out;
}

result<bytes> mark_restored(byte_view meta) {
  auto content = decode_meta(meta);
  if (!content) {
    return fail(content.error());
  }
  content->last_role.reset();
  return encode(*content);
}

}  // namespace muster::replication

#include "muster/locator/active_replica.hpp"

#include <utility>

#include "muster/base/codec.hpp"

namespace muster::locator {

namespace {

constexpr std::uint8_t format_version = 1;
constexpr std::uint64_t flag_master = 1;
constexpr std::uint64_t flag_user_account_mapper = 2;

constexpr catalog::encoded_proxy active_replica::*proxies[]{&active_replica::client, &active_replica::server,
                                                            &active_replica::internal, &active_replica::session_manager,
                                                            &active_replica::admin_session_manager};

}  // namespace

bytes encode(const active_replica& replica) {
  byte_writer out;
  out.u8(format_version);
  out.string(replica.name);
  out.size((replica.is_master ? flag_master : 0) | (replica.has_user_account_mapper ? flag_user_account_mapper : 0));
  for (const auto proxy : proxies) out.blob((replica.*proxy).content());
  return std::move(out).take();
}

result<active_replica> decode_active_replica(byte_view input) {
  byte_reader in{input};
  if (const std::uint8_t version = in.u8(); !in.failed() && version != format_version) {
    return fail(errc::incompatible, "a replica describes itself in format {}, and this program knows format {}",
                version, format_version);
  }
  active_replica replica;
  replica.name = in.string();
  const std::uint64_t flags = in.size();
  replica.is_master = (flags & flag_master) != 0;
  replica.has_user_account_mapper = (flags & flag_user_account_mapper) != 0;
  if (flags > (flag_master | flag_user_account_mapper)) in.set_failed();
  for (const auto proxy : proxies) {
    const byte_view content = in.blob();
    if (in.failed()) break;
    auto read = catalog::encoded_proxy::read(content);
    if (!read) return fail(std::move(read.error()));
    replica.*proxy = *std::move(read);
  }
  if (auto done = in.finish("description of a replica"); !done) return fail(std::move(done.error()));
  return replica;
}

}  // namespace muster::locator

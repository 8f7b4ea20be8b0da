#include "muster/registry/replica_card.hpp"

#include <cstdint>
#include <utility>

#include "muster/base/codec.hpp"

namespace muster::registry {
namespace {

constexpr std::uint8_t card_version = 1;

}  // namespace

bytes encode(const replica_card& card) {
  byte_writer out;
  out.u8(card_version);
  out.string(card.objects.name);
  out.string(card.host);
  for (const auto* proxy : {&card.objects.client, &card.objects.server, &card.objects.internal,
                            &card.objects.session_manager, &card.objects.admin_session_manager}) {
    out.blob(proxy->content());
  }
  out.u8(card.objects.has_user_account_mapper ? 1 : 0);
  return std::move(out).take();
}

result<replica_card> decode_replica_card(byte_view input) {
  byte_reader in{input};
  replica_card card;
  if (const auto version = in.u8(); version < card_version) {
    return fail(errc::corrupt, "a replica's card has no version");
  }
  card.objects.name = in.string();
  card.host = in.string();
  for (auto* proxy : {&card.objects.client, &card.objects.server, &card.objects.internal, &card.objects.session_manager,
                      &card.objects.admin_session_manager}) {
    auto read = catalog::encoded_proxy::read(in.blob());
    if (in.failed()) break;
    if (!read) return fail(std::move(read).error());
    *proxy = std::move(*read);
  }
  card.objects.has_user_account_mapper = in.u8() != 0;
  if (in.failed()) return fail(errc::corrupt, "a replica's card ends too early");
  return card;
}

}  // namespace muster::registry

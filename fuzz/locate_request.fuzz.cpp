// The in-parameters of operations that are dispatched from their bytes, and the writers of their replies: whatever is
// read is answered in the encoding that it came in.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/base/invariant.hpp"
#include "muster/locator/proxy_transcoding.hpp"
#include "muster/locator/replies.hpp"
#include "muster/locator/requests.hpp"

namespace {

using muster::byte_view;
using muster::bytes;
using muster::locator::encoding;

void answer_with(encoding version, const muster::catalog::encoded_proxy& proxy) {
  const std::vector<byte_view> several(3, proxy.content());
  bytes reply;
  muster::locator::append_proxy_reply(version, proxy.content(), reply);
  muster::locator::append_proxies_reply(version, several, reply);

  // A reply carries the proxy in the request's encoding: read back, it is a proxy again.
  muster::locator::ice_reader in{byte_view{reply}.subspan(muster::locator::encapsulation_header_bytes)};
  bytes again;
  MUSTER_INVARIANT(muster::locator::transcode_proxy(in, version, encoding::v1_1, again).has_value(),
                   "a reply can be read by its caller");
}

void read_all(byte_view params) {
  using namespace muster::locator;
  (void)read_no_params(params);
  (void)read_identity(params);
  (void)read_string(params);
  (void)read_type_and_sample(params);
  if (const auto read = read_proxy(params)) answer_with(read->version, read->params);
  if (const auto read = read_adapter_registration(params)) answer_with(read->version, read->params.proxy);
  if (const auto read = read_replicated_adapter_registration(params)) answer_with(read->version, read->params.proxy);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const byte_view input{data, size};
  read_all(input);
  // The same behind a header that fits, so that the search need not find one.
  for (const encoding version : {encoding::v1_0, encoding::v1_1}) {
    bytes params;
    const std::size_t at = muster::locator::begin_encapsulation(params, version);
    muster::locator::append(params, input);
    muster::locator::end_encapsulation(params, at);
    read_all(params);
  }
  return 0;
}

// Proxies as they come out of requests and files, and the text of proxy options.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "muster/base/invariant.hpp"
#include "muster/catalog/encoded_proxy.hpp"

namespace {

namespace catalog = muster::catalog;
using catalog::encoded_proxy;
using muster::byte_view;

void read_proxies(byte_view content) {
  byte_view rest = content;
  const auto first = catalog::parse_front(rest);
  if (!first) return;
  MUSTER_INVARIANT(first->all.size() + rest.size() == content.size(), "what is read and what is left are the whole");
  const auto proxy = encoded_proxy::read(first->all).value();
  MUSTER_INVARIANT(proxy.with_identity(first->identity) == proxy, "the identity stands in front");

  const auto second = catalog::parse_front(rest);
  const std::array several{*first, second ? *second : *first, *first};
  const auto merged = encoded_proxy::with_endpoints_of(*first, several);
  const auto view = catalog::parse(merged.content());
  MUSTER_INVARIANT(view.has_value(), "what was merged is a proxy");
  MUSTER_INVARIANT(view->identity == first->identity, "that of the first");
  MUSTER_INVARIANT(encoded_proxy::with_endpoints_of(*view, std::array{*view, *view}) == merged,
                   "merging again adds nothing");
}

void read_options(std::string_view text) {
  const auto options = muster::descriptor::parse_proxy_options(text);
  if (!options) return;
  const auto proxy = encoded_proxy::indirect({"name", "category"}, "adapter", *options);
  MUSTER_INVARIANT(proxy.view().facet == options->facet, "the options are in the proxy");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_proxies({data, size});
  read_options({reinterpret_cast<const char*>(data), size});
  return 0;
}

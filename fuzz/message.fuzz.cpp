// Contents of messages between actors, as they come from other nodes.

#include <Ice/Proxy.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "muster/actor/test_system.hpp"
#include "muster/base/invariant.hpp"
#include "muster/message/inbound.hpp"
#include "muster/message/remote_actor.hpp"
#include "muster/message/test_content.hpp"
#include "muster/message/test_sample.hpp"

namespace {

using muster::message::testing::content_of;
using muster::message::testing::message_of;
using muster::message::testing::sample;

struct letter {
  static constexpr std::string_view message_name = "fuzz.letter";
  muster::actor_ref<std::int32_t> reply_to;
  muster::any_ref about;
  std::vector<sample> enclosed;
};

/// Where there is no communicator, what is not a null proxy is looked at and then refused.
struct cards {
  static constexpr std::string_view message_name = "fuzz.cards";
  std::vector<std::shared_ptr<Ice::ObjectPrx>> all;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static muster::testing::test_system process{"fuzz"};
  const auto read = message_of<letter>({data, size}, &process.system);
  if (read) {
    const auto again = message_of<letter>(content_of(*read), &process.system);
    MUSTER_INVARIANT(again.has_value(), "what was read can be written and read");
    MUSTER_INVARIANT(again->reply_to == read->reply_to && again->about == read->about, "refs stay the same");
  }
  // An item alone is reached with fewer bytes.
  (void)message_of<sample>({data, size});
  if (const auto none = message_of<cards>({data, size})) {
    for (const auto& one : none->all) MUSTER_INVARIANT(one == nullptr, "a proxy is made by a communicator only");
  }
  return 0;
}

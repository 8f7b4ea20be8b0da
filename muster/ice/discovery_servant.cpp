#include "muster/ice/discovery_servant.hpp"

#include <vector>

#include "muster/ice/proxies.hpp"
#include "muster/locator/replies.hpp"
#include "muster/locator/requests.hpp"

namespace muster::ice {

byte_servant::answered discovery_servant::answer(const std::string& operation, byte_view params, bytes& reply) {
  if (operation != "findLocator") return answered::no_such_operation;
  // The same on the wire as the registration of an adapter: a string and a proxy.
  const auto asked = unwrap(locator::read_adapter_registration(params));
  find_locator(asked.params.adapter_id, asked.params.proxy);
  locator::append(reply, locator::void_reply(asked.version));
  return answered::reply;
}

void discovery_servant::find_locator(std::string_view instance, const catalog::encoded_proxy& reply_to) {
  const auto now = service_.current();
  const auto& own = *now->view.own;
  if (!instance.empty() && instance != own.instance_name()) {
    trace(2, "discovery_passed_over", instance);
    return;
  }
  const auto target = reply_to.view();
  const bool is_datagram = target.mode == catalog::proxy_mode::datagram && target.has_endpoints();
  if (!is_datagram || own.locator().is_null()) {
    trace(2, "discovery_passed_over", instance);
    return;
  }
  const auto reply = to_proxy(communicator_, reply_to.content());
  if (!reply) return;
  const auto version = target.encoding.minor == 0 ? locator::encoding::v1_0 : locator::encoding::v1_1;
  bytes params;
  locator::append_proxy_reply(version, own.locator().content(), params);  // one proxy: in-parameters look the same
  try {
    (*reply)->ice_invokeAsync(
        "foundLocator", Ice::OperationMode::Normal, params, [](bool, const std::vector<Ice::Byte>&) {},
        [](const std::exception_ptr&) {});
    trace(1, "discovery_answered", instance);
  } catch (const Ice::LocalException&) {
    // A client whose address cannot be used hears nothing, as if the datagram had been lost.
    trace(1, "discovery_answer_failed", instance);
  }
}

void discovery_servant::trace(int level, std::string_view what, std::string_view instance) {
  if (trace_level_ < level) return;
  log_.write(event{severity::info, what}.with("instance", instance));
}

}  // namespace muster::ice

#include "muster/ice/finder_servant.hpp"

#include "muster/locator/replies.hpp"
#include "muster/locator/requests.hpp"

namespace muster::ice {

byte_servant::answered finder_servant::answer(const std::string& operation, byte_view params, bytes& reply) {
  if (operation != "getLocator") return answered::no_such_operation;
  const auto asked = unwrap(locator::read_no_params(params));
  const auto now = service_.current();
  locator::append_proxy_reply(asked.version, now->view.own->locator().content(), reply);
  return answered::reply;
}

}  // namespace muster::ice

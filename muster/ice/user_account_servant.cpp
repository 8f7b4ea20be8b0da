#include "muster/ice/user_account_servant.hpp"

namespace muster::ice {

void user_account_servant::getUserAccountAsync(std::string user, std::function<void(const std::string&)> response,
                                               std::function<void(std::exception_ptr)> exception, const Ice::Current&) {
  const auto found = accounts_.find(user);
  if (found == accounts_.end()) {
    exception(std::make_exception_ptr(IceGrid::UserAccountNotFoundException{}));
  } else {
    response(found->second);
  }
}

}  // namespace muster::ice

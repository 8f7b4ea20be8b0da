#pragma once

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <IceGrid/UserAccountMapper.h>

namespace muster::ice {

/// `<instance>/RegistryUserAccountMapper`: which account the servers of a user run under, for the nodes that run them.
class user_account_servant final : public IceGrid::UserAccountMapper {
 public:
  explicit user_account_servant(std::map<std::string, std::string, std::less<>> accounts)
      : accounts_{std::move(accounts)} {}

  /// `UserAccountNotFoundException` for a user who has none.
  void getUserAccountAsync(std::string user, std::function<void(const std::string&)> response,
                           std::function<void(std::exception_ptr)> exception, const Ice::Current&) override;

 private:
  const std::map<std::string, std::string, std::less<>> accounts_;
};

}  // namespace muster::ice

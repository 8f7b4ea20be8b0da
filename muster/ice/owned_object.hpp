#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <Ice/Ice.h>

namespace muster::ice {

/// Whom a session's objects answer. One made by `Registry` belongs to the connection that made it; one made by a
/// session manager belongs to the Glacier2 router that asked, which may use several.
struct session_owner {
  Ice::ConnectionPtr connection;  ///< null: a router's

  [[nodiscard]] bool is(const Ice::Current& current) const { return !connection || current.con == connection; }
};

/// An object of a session, which does not exist for anybody but its owner: whatever is asked of it (`ice_isA` too), the
/// answer to others is `Ice::ObjectNotExistException`.
class owned_object final : public Ice::DispatchInterceptor {
 public:
  /// `on_request`, where wanted, is told of each request of the owner.
  using observer = std::function<void(const Ice::Current&)>;

  owned_object(session_owner owner, std::shared_ptr<Ice::Object> object, observer on_request = {})
      : owner_{std::move(owner)}, object_{std::move(object)}, on_request_{std::move(on_request)} {}

  bool dispatch(Ice::Request& request) override {
    const auto& current = request.getCurrent();
    if (!owner_.is(current)) {
      throw Ice::ObjectNotExistException{__FILE__, __LINE__, current.id, current.facet, current.operation};
    }
    if (on_request_) on_request_(current);
    return object_->ice_dispatch(request);
  }

 private:
  const session_owner owner_;
  const std::shared_ptr<Ice::Object> object_;
  const observer on_request_;
};

}  // namespace muster::ice

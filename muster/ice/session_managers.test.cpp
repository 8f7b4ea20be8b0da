// What a Glacier2 router sees: sessions made by the managers, on endpoints of their own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>

#include <Glacier2/Session.h>

#include "muster/ice/administration.test.hpp"

namespace muster::ice {
namespace {

using Glacier2::CannotCreateSessionException;
using testing::HasSubstr;

config::property_map with_managers(const config::property_map& extra = {}) {
  auto all = lets_everybody_in({{"IceGrid.Registry.SessionManager.Endpoints", "tcp -h 127.0.0.1"},
                                {"IceGrid.Registry.AdminSessionManager.Endpoints", "tcp -h 127.0.0.1"}});
  for (const auto& [name, value] : extra) all[name] = value;
  return all;
}

/// The router's side: answers when it is told to.
class session_control final : public Glacier2::SessionControl {
 public:
  using answer = std::function<void(int)>;

  void getSessionTimeoutAsync(answer response, std::function<void(std::exception_ptr)>, const Ice::Current&) override {
    asked.set_value(std::move(response));
  }
  void categoriesAsync(std::function<void(const std::shared_ptr<Glacier2::StringSetPrx>&)> response,
                       std::function<void(std::exception_ptr)>, const Ice::Current&) override {
    response(nullptr);
  }
  void adapterIdsAsync(std::function<void(const std::shared_ptr<Glacier2::StringSetPrx>&)> response,
                       std::function<void(std::exception_ptr)>, const Ice::Current&) override {
    response(nullptr);
  }
  void identitiesAsync(std::function<void(const std::shared_ptr<Glacier2::IdentitySetPrx>&)> response,
                       std::function<void(std::exception_ptr)>, const Ice::Current&) override {
    response(nullptr);
  }
  void destroyAsync(std::function<void()> response, std::function<void(std::exception_ptr)>,
                    const Ice::Current&) override {
    response();
  }

  std::promise<answer> asked;
};

class session_managers : public testing::Test {
 protected:
  template <typename Proxy = Glacier2::SessionManagerPrx>
  std::shared_ptr<Proxy> manager(const std::string& name) {
    const auto& adapter = name.starts_with("Admin") ? at_.admin_session_manager : at_.session_manager;
    const auto direct = adapter->createProxy(Ice::stringToIdentity("T/" + name));
    return Ice::checkedCast<Proxy>(router_->stringToProxy(direct->ice_toString()));
  }

  administered_replica at_{with_managers({{"Muster.Registry.VerifierTimeout", "1000"}})};
  administrator joe_{at_};
  const Ice::CommunicatorHolder router_{Ice::InitializationData{}};
  Ice::ObjectAdapterPtr router_adapter_ = router_->createObjectAdapterWithEndpoints("Router", "tcp -h 127.0.0.1");
  std::shared_ptr<session_control> control_ = std::make_shared<session_control>();
  std::shared_ptr<Glacier2::SessionControlPrx> control_proxy_ =
      Ice::uncheckedCast<Glacier2::SessionControlPrx>(router_adapter_->addWithUUID(control_));
};

TEST_F(session_managers, are_registered_and_answer) {
  const auto admin = joe_.admin();
  EXPECT_EQ(admin->getObjectInfo({"SessionManager", "T"}).type, "::Glacier2::SessionManager");
  EXPECT_EQ(admin->getObjectInfo({"SSLSessionManager", "T"}).type, "::Glacier2::SSLSessionManager");
  EXPECT_EQ(admin->getObjectInfo({"AdminSessionManager", "T"}).type, "::Glacier2::SessionManager");
  EXPECT_EQ(admin->getObjectInfo({"AdminSSLSessionManager", "T"}).type, "::Glacier2::SSLSessionManager");
  EXPECT_NE(manager("SessionManager"), nullptr);
  EXPECT_NE(manager("AdminSessionManager"), nullptr);
  EXPECT_NE(manager<Glacier2::SSLSessionManagerPrx>("SSLSessionManager"), nullptr);
  EXPECT_NE(manager<Glacier2::SSLSessionManagerPrx>("AdminSSLSessionManager"), nullptr);
}

TEST_F(session_managers, make_sessions_without_a_control_too) {
  const auto session =
      Ice::checkedCast<IceGrid::AdminSessionPrx>(manager("AdminSessionManager")->create("joe", nullptr));
  ASSERT_NE(session, nullptr);
  const auto admin = session->getAdmin();
  const auto at_manager = at_.admin_session_manager->createProxy(admin->ice_getIdentity())->ice_toString();
  EXPECT_EQ(admin->ice_toString(), at_manager) << "the managers' endpoints, not the clients'";
  EXPECT_EQ(session->getAdminCallbackTemplate(), nullptr);
  EXPECT_NO_THROW(admin->ice_connectionId("another of the router's")->ice_ping());
  session->destroy();
  EXPECT_THROW(session->ice_ping(), Ice::ObjectNotExistException);
  EXPECT_THROW(admin->ice_ping(), Ice::ObjectNotExistException);
  EXPECT_NE(Ice::checkedCast<IceGrid::SessionPrx>(manager("SessionManager")->create("joe", nullptr)), nullptr);
}

TEST_F(session_managers, let_nobody_wait_for_the_router_that_they_ask) {
  router_adapter_->activate();
  auto pending = manager("AdminSessionManager")->createAsync("slow", control_proxy_);
  auto answer = control_->asked.get_future();
  ASSERT_EQ(answer.wait_for(std::chrono::seconds{20}), std::future_status::ready);
  const auto other = manager("AdminSessionManager")->create("quick", nullptr);
  EXPECT_NO_THROW(other->destroy());
  EXPECT_NO_THROW(joe_.session()->destroy());
  answer.get()(0);
  const auto session = pending.get();
  ASSERT_NE(session, nullptr);
  EXPECT_NO_THROW(session->ice_ping());
  EXPECT_NO_THROW(session->destroy());
}

TEST_F(session_managers, give_a_session_the_life_that_the_router_says) {
  router_adapter_->activate();
  auto pending = manager("SessionManager")->createAsync("brief", control_proxy_);
  control_->asked.get_future().get()(1);
  const auto session = pending.get();
  EXPECT_TRUE(at_.replica.log.wait_for("session_ended", "kind=client", "user=brief"));
  EXPECT_THROW(session->ice_ping(), Ice::ObjectNotExistException);
}

TEST_F(session_managers, refuse_where_the_router_does_not_answer) {
  // Its adapter takes connections and dispatches nothing.
  EXPECT_THAT(reason_of<CannotCreateSessionException>(
                  [&] { (void)manager("AdminSessionManager")->create("joe", control_proxy_); }),
              HasSubstr("Timeout"));
  const auto gone = Ice::uncheckedCast<Glacier2::SessionControlPrx>(router_->stringToProxy("c:tcp -h 127.0.0.1 -p 1"));
  EXPECT_THAT(
      reason_of<CannotCreateSessionException>([&] { (void)manager("AdminSessionManager")->create("joe", gone); }),
      HasSubstr("ConnectionRefused"));
  EXPECT_EQ(at_.replica.figures.sessions[metrics::session_kind::admin].value(), 0);
}

TEST(session_managers_of_a_slave, are_those_of_administrators_alone) {
  auto content = std::make_shared<tests::store_content>();
  { administered_replica master{lets_everybody_in(), content}; }
  administered_replica slave{with_managers({{"IceGrid.Registry.ReplicaName", "S1"},
                                            {"Ice.Default.Locator", "T/Locator:tcp -h 127.0.0.1 -p 1"}}),
                             content};
  EXPECT_NE(slave.admin_session_manager->find({"AdminSessionManager-S1", "T"}), nullptr);
  EXPECT_NE(slave.admin_session_manager->find({"AdminSSLSessionManager-S1", "T"}), nullptr);
  EXPECT_EQ(slave.session_manager->find({"SessionManager", "T"}), nullptr);
}

}  // namespace
}  // namespace muster::ice

// Sessions over real connections: who gets one, whom its objects answer, and what ends it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>

#include "muster/descriptor/sample.test.hpp"
#include "muster/ice/administration.test.hpp"

namespace muster::ice {
namespace {

using IceGrid::AccessDeniedException;
using IceGrid::PermissionDeniedException;
using testing::HasSubstr;

class admin_session : public testing::Test {
 protected:
  administered_replica at_;
  administrator joe_{at_};
  administrator ann_{at_};
};

TEST_F(admin_session, answers_as_icegrid_does) {
  const auto session = joe_.session();
  EXPECT_EQ(session->ice_ids(), (Ice::StringSeq{"::Glacier2::Session", "::Ice::Object", "::IceGrid::AdminSession"}));
  EXPECT_EQ(session->getReplicaName(), "Master");
  EXPECT_NO_THROW(session->keepAlive());
  EXPECT_EQ(session->getAdminCallbackTemplate(), nullptr);
  const auto admin = session->getAdmin();
  EXPECT_EQ(admin->ice_id(), "::IceGrid::Admin");
  EXPECT_EQ(admin->ice_getIdentity().category, "T");
  EXPECT_NE(admin->ice_getIdentity(), session->ice_getIdentity());
  EXPECT_EQ(joe_.registry()->getSessionTimeout(), 30);
  EXPECT_EQ(joe_.registry()->getACMTimeout(), 30);
}

TEST_F(admin_session, exists_for_the_connection_that_made_it_alone) {
  const auto session = joe_.session();
  const auto admin = session->getAdmin();
  for (const auto& object : std::vector<std::shared_ptr<Ice::ObjectPrx>>{session, admin}) {
    const auto stolen = ann_.proxy(joe_.text(object));
    EXPECT_THROW(stolen->ice_ping(), Ice::ObjectNotExistException);
    EXPECT_THROW((void)stolen->ice_isA("::Ice::Object"), Ice::ObjectNotExistException);
    EXPECT_THROW((void)stolen->ice_id(), Ice::ObjectNotExistException);
    EXPECT_THROW(object->ice_connectionId("another")->ice_ping(), Ice::ObjectNotExistException);
    EXPECT_NO_THROW(object->ice_ping());
  }
  const auto stolen = Ice::uncheckedCast<IceGrid::AdminSessionPrx>(ann_.proxy(joe_.text(session)));
  EXPECT_THROW(stolen->destroy(), Ice::ObjectNotExistException);
  EXPECT_THROW((void)stolen->getAdmin(), Ice::ObjectNotExistException);
  const auto stolen_admin = Ice::uncheckedCast<IceGrid::AdminPrx>(ann_.proxy(joe_.text(admin)));
  EXPECT_THROW((void)stolen_admin->getAllApplicationNames(), Ice::ObjectNotExistException);
  EXPECT_THROW(stolen_admin->shutdown(), Ice::ObjectNotExistException);
  EXPECT_NO_THROW(session->keepAlive());
}

TEST_F(admin_session, leaves_nothing_behind_when_it_is_destroyed) {
  const auto session = joe_.session();
  const auto admin = session->getAdmin();
  EXPECT_TRUE(at_.serves(session));
  session->destroy();
  EXPECT_FALSE(at_.serves(session));
  EXPECT_FALSE(at_.serves(admin));
  EXPECT_THROW(session->destroy(), Ice::ObjectNotExistException);
  EXPECT_THROW(session->keepAlive(), Ice::ObjectNotExistException);
  EXPECT_THROW((void)admin->getAllApplicationNames(), Ice::ObjectNotExistException);
  EXPECT_TRUE(at_.replica.log.wait_for("session_ended", "kind=administrative", "user=joe"));
}

TEST_F(admin_session, ends_with_its_connection_and_gives_its_lock_back) {
  const auto session = joe_.session();
  const auto second = joe_.session("eve");
  const auto admin = session->getAdmin();
  session->startUpdate();
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { ann_.session()->startUpdate(); }), "joe");
  joe_.break_connection();
  EXPECT_TRUE(at_.replica.log.wait_for("session_ended", "user=joe"));
  EXPECT_TRUE(at_.replica.log.wait_for("session_ended", "user=eve"));
  EXPECT_FALSE(at_.serves(session));
  EXPECT_FALSE(at_.serves(second));
  EXPECT_FALSE(at_.serves(admin));
  EXPECT_NO_THROW(ann_.session()->startUpdate());
}

TEST_F(admin_session, holds_the_lock_on_applications_alone) {
  const auto joes = joe_.session("joe");
  const auto anns = ann_.session("ann");
  const auto admin = anns->getAdmin();
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { anns->finishUpdate(); }), "");
  const int serial = joes->startUpdate();
  EXPECT_EQ(joes->startUpdate(), serial) << "the holder may take it again";

  const auto app = descriptor::sample::application("app");
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { anns->startUpdate(); }), "joe");
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { anns->finishUpdate(); }), "joe");
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { admin->addApplication(app); }), "joe");
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { admin->syncApplication(app); }), "joe");
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { admin->syncApplicationWithoutRestart(app); }), "joe");
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { admin->updateApplication(update); }), "joe");
  EXPECT_EQ(reason_of<AccessDeniedException>([&] { admin->removeApplication("app"); }), "joe");
  EXPECT_NO_THROW(admin->addObjectWithType(ann_.proxy("free:tcp -h 127.0.0.1 -p 1"), "::T"));
  EXPECT_NO_THROW(admin->removeObject({"free", ""}));

  EXPECT_NO_THROW(joes->getAdmin()->addApplication(app));
  EXPECT_NO_THROW(joes->finishUpdate());
  EXPECT_NO_THROW(admin->removeApplication("app"));
  joes->startUpdate();
  joes->destroy();
  EXPECT_NO_THROW(anns->startUpdate()) << "the lock goes with its session";
}

TEST_F(admin_session, takes_the_absence_of_observers_and_says_that_it_has_none_to_offer) {
  const auto session = joe_.session();
  EXPECT_NO_THROW(session->setObservers(nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_NO_THROW(session->setObserversByIdentity({}, {}, {}, {}, {}));
  const auto observer = Ice::uncheckedCast<IceGrid::ObjectObserverPrx>(joe_.proxy("o:tcp -h 127.0.0.1 -p 1"));
  EXPECT_THAT(
      reason_of<Ice::UnknownException>([&] { session->setObservers(nullptr, nullptr, nullptr, nullptr, observer); }),
      HasSubstr("observers"));
  EXPECT_THAT(reason_of<Ice::UnknownException>([&] {
                session->setObserversByIdentity({}, {}, {"o", ""}, {}, {});
              }),
              HasSubstr("observers"));
}

TEST_F(admin_session, offers_no_files_and_knows_what_does_not_exist) {
  const auto session = joe_.session();
  session->getAdmin()->addApplication(descriptor::sample::application("app"));
  EXPECT_THAT(reason_of<IceGrid::FileNotAvailableException>([&] { (void)session->openRegistryStdOut("Master", 5); }),
              HasSubstr("registry"));
  EXPECT_THROW((void)session->openRegistryStdErr("nobody", 5), IceGrid::RegistryNotExistException);
  EXPECT_THROW((void)session->openNodeStdErr("nobody", 5), IceGrid::NodeNotExistException);
  EXPECT_THROW((void)session->openNodeStdOut("node1", 5), IceGrid::NodeUnreachableException);
  EXPECT_THROW((void)session->openServerLog("nobody", "/log", 5), IceGrid::ServerNotExistException);
  EXPECT_THROW((void)session->openServerStdOut("nobody", 5), IceGrid::ServerNotExistException);
  EXPECT_THROW((void)session->openServerStdErr("app-server1", 5), IceGrid::NodeUnreachableException);
}

// Bytes in use after `count` cycles more, measured when nothing is on its way.
template <typename Cycle>
std::size_t bytes_after(int count, Cycle&& cycle) {
  for (int i = 0; i < count; ++i) cycle();
  return mallinfo2().uordblks;
}

TEST_F(admin_session, leaves_no_memory_behind_on_a_connection_that_makes_thousands) {
  const auto cycle = [&] {
    const auto session = joe_.session("a user name that is too long for a small string");
    (void)session->getAdmin()->getAllApplicationNames();
    session->destroy();
  };
  const auto before = bytes_after(500, cycle);
  const auto lines = at_.replica.log.lines().size();
  const auto after = bytes_after(2000, cycle);
  // The recorder keeps two lines of each session, about 100 bytes each with their allocations.
  const auto recorded = (at_.replica.log.lines().size() - lines) * 160;
  EXPECT_LT(after, before + recorded + 64UL * 1024) << "bytes in use grew with the number of past sessions";
}

TEST(admin_session_without_trace, leaves_no_memory_behind_on_hundreds_of_connections) {
  // The run time lets go of closed connections when it next looks for idle ones: here twice in a second.
  administered_replica at{
      lets_everybody_in({{"IceGrid.Registry.Trace.Session", "0"}, {"IceGrid.Registry.Client.ACM.Timeout", "1"}})};
  const administrator joe{at};
  int number = 0;
  const auto cycle = [&] {
    const auto registry =
        Ice::uncheckedCast<IceGrid::RegistryPrx>(joe.registry()->ice_connectionId(std::to_string(number++)));
    const auto session = registry->createAdminSession("joe", "");
    // Half of them go without a word.
    if (number % 2 == 0) session->ice_connectionId(registry->ice_getConnectionId())->ice_ping();
    registry->ice_getCachedConnection()->close(number % 2 == 0 ? Ice::ConnectionClose::Gracefully
                                                               : Ice::ConnectionClose::Forcefully);
  };
  const auto comes_true = [&](const auto& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!condition() && std::chrono::steady_clock::now() < deadline) joe.registry()->ice_ping();
    return condition();
  };
  const auto all_ended = [&] { return at.replica.figures.sessions[metrics::session_kind::admin].value() == 0; };
  (void)bytes_after(100, cycle);
  ASSERT_TRUE(comes_true(all_ended));
  const auto before = mallinfo2().uordblks;
  (void)bytes_after(500, cycle);
  EXPECT_TRUE(comes_true(all_ended));
  EXPECT_TRUE(comes_true([&] { return mallinfo2().uordblks < before + 256UL * 1024; }))
      << "bytes in use grew with the number of past connections";
}

TEST(admin_session_of_a_second, ends_when_its_keep_alive_does_not_come) {
  administered_replica at{
      lets_everybody_in({{"IceGrid.Registry.SessionTimeout", "1"}, {"IceGrid.Registry.Client.ACM.Timeout", "60"}})};
  const administrator joe{at};
  EXPECT_EQ(joe.registry()->getSessionTimeout(), 1);
  const auto session = joe.session();
  ASSERT_TRUE(at.replica.log.wait_for("session_ended", "user=joe"));
  EXPECT_THROW(session->keepAlive(), Ice::ObjectNotExistException);
  EXPECT_FALSE(at.serves(session));
}

TEST(registry_without_verifiers, says_which_property_is_missing) {
  administered_replica at{{}};
  const administrator joe{at};
  auto& registry = *joe.registry();
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createSession("joe", ""); }),
            "no permissions verifier configured, use the property\n`IceGrid.Registry.PermissionsVerifier' to "
            "configure\na permissions verifier.");
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createAdminSession("joe", ""); }),
            "no admin permissions verifier configured, use the property\n`IceGrid.Registry.AdminPermissionsVerifier' "
            "to configure\na permissions verifier.");
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createSessionFromSecureConnection(); }),
            "no ssl permissions verifier configured, use the property\n`IceGrid.Registry.SSLPermissionsVerifier' to "
            "configure\na permissions verifier.");
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createAdminSessionFromSecureConnection(); }),
            "no ssl admin permissions verifier configured, use the "
            "property\n`IceGrid.Registry.AdminSSLPermissionsVerifier' to configure\na permissions verifier.");
}

TEST(registry_with_verifiers, says_why_it_gives_no_session) {
  administered_replica at{
      lets_everybody_in({{"IceGrid.Registry.AdminSSLPermissionsVerifier", "T/NullSSLPermissionsVerifier"},
                         {"IceGrid.Registry.SSLPermissionsVerifier", "T/NullSSLPermissionsVerifier"},
                         {"IceGrid.Registry.PermissionsVerifier", "nobody:tcp -h 127.0.0.1 -p 1"}})};
  const administrator joe{at};
  auto& registry = *joe.registry();
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createAdminSession("", "secret"); }),
            "empty user id");
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createSession("joe", ""); }),
            "internal server error");
  EXPECT_TRUE(at.replica.log.wait_for("permissions_verifier_failed", "ConnectionRefused"));
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createAdminSessionFromSecureConnection(); }),
            "not ssl connection");
  EXPECT_EQ(reason_of<PermissionDeniedException>([&] { (void)registry.createSessionFromSecureConnection(); }),
            "not ssl connection");
}

TEST(registry_with_verifiers, gives_no_more_sessions_of_a_kind_than_it_may) {
  administered_replica at{lets_everybody_in({{"Muster.Registry.SessionsMax", "2"}})};
  const administrator joe{at};
  const auto first = joe.session();
  const auto second = joe.session();
  EXPECT_THAT(reason_of<PermissionDeniedException>([&] { (void)joe.session(); }), HasSubstr("2 administrative"));
  EXPECT_NO_THROW((void)joe.registry()->createSession("joe", ""));
  first->destroy();
  EXPECT_NO_THROW((void)joe.session());
}

TEST(client_session, has_nothing_to_allocate_and_says_so) {
  administered_replica at;
  const administrator joe{at};
  auto application = descriptor::sample::application("app");
  application.nodes["node1"].servers[0]->adapters[0].allocatables = {descriptor::sample::object("lent", "::Lent")};
  joe.admin()->addApplication(application);

  const auto session = joe.registry()->createSession("joe", "");
  EXPECT_EQ(session->ice_id(), "::IceGrid::Session");
  EXPECT_NO_THROW(session->keepAlive());
  EXPECT_NO_THROW(session->setAllocationTimeout(5));
  EXPECT_THROW((void)session->allocateObjectById({"nobody", ""}), IceGrid::ObjectNotRegisteredException);
  EXPECT_THROW(session->releaseObject({"nobody", ""}), IceGrid::ObjectNotRegisteredException);
  EXPECT_EQ(reason_of<IceGrid::AllocationException>([&] { (void)session->allocateObjectByType("::No"); }),
            "no allocatable objects with type `::No' registered");
  EXPECT_THAT(reason_of<IceGrid::AllocationException>([&] {
                (void)session->allocateObjectById({"lent", ""});
              }),
              HasSubstr("this version"));
  EXPECT_THAT(reason_of<IceGrid::AllocationException>([&] { (void)session->allocateObjectByType("::Lent"); }),
              HasSubstr("this version"));
  session->destroy();
  EXPECT_THROW(session->keepAlive(), Ice::ObjectNotExistException);
}

}  // namespace
}  // namespace muster::ice

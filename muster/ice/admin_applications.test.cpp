// `IceGrid::Admin` over a real connection: applications, and the servers and nodes that they describe.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/descriptor/sample.test.hpp"
#include "muster/ice/administration.test.hpp"

namespace muster::ice {
namespace {

using IceGrid::ApplicationNotExistException;
using IceGrid::DeploymentException;
using testing::ElementsAre;
using testing::HasSubstr;

class admin_applications : public testing::Test {
 protected:
  administered_replica at_;
  administrator joe_{at_};
  std::shared_ptr<IceGrid::AdminPrx> admin_{joe_.admin()};
  const IceGrid::ApplicationDescriptor app_ = descriptor::sample::application("app");
};

TEST_F(admin_applications, are_added_as_icegridadmin_adds_them) {
  admin_->addApplication(app_);
  EXPECT_NO_THROW(admin_->patchApplication("app", true)) << "there is nothing to patch";
  EXPECT_THAT(admin_->getAllApplicationNames(), ElementsAre("app"));
  const auto info = admin_->getApplicationInfo("app");
  EXPECT_EQ(info.revision, 1);
  EXPECT_EQ(info.createUser, "joe");
  EXPECT_EQ(info.updateUser, "joe");
  EXPECT_EQ(info.createTime, info.updateTime);
  EXPECT_GT(info.createTime, 1'600'000'000'000) << "milliseconds since 1970";
  EXPECT_EQ(info.uuid.size(), 36U);
  EXPECT_EQ(info.descriptor.description, app_.description);
  EXPECT_EQ(info.descriptor.nodes.at("node1").servers.size(), 2U);
  EXPECT_EQ(admin_->getObjectInfo({"app-single", ""}).type, "::Demo::Other");
}

TEST_F(admin_applications, come_back_as_they_were_given_with_all_their_classes) {
  const auto rich = descriptor::sample::rich_application("rich");
  admin_->addApplication(rich);
  const auto back = admin_->getApplicationInfo("rich").descriptor;
  EXPECT_EQ(back.serverTemplates.size(), rich.serverTemplates.size());
  EXPECT_NE(std::dynamic_pointer_cast<IceGrid::IceBoxDescriptor>(back.nodes.at("node1").servers.back()), nullptr);
  EXPECT_NE(std::dynamic_pointer_cast<IceGrid::AdaptiveLoadBalancingPolicy>(back.replicaGroups.back().loadBalancing),
            nullptr);
}

// A connection that is given up has no words for it.
TEST_F(admin_applications, are_refused_in_words_when_they_came_in_one_message_but_do_not_go_back_in_one) {
  const auto most = std::size_t{1024} * 1024;
  auto large = app_;
  large.description = std::string(most - 8 * 1024, 'd');
  ASSERT_NO_THROW(admin_->addApplication(large));
  ASSERT_NO_THROW((void)admin_->getApplicationInfo("app"));

  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  update.variables["more"] = std::string(16 * 1024, 'v');
  ASSERT_NO_THROW(admin_->updateApplication(update));
  try {
    (void)admin_->getApplicationInfo("app");
    FAIL() << "a message over Ice.MessageSizeMax was sent";
  } catch (const Ice::UnknownException& refused) {
    EXPECT_THAT(refused.unknown, HasSubstr("the description of the application \"app\" takes"));
    EXPECT_THAT(refused.unknown, HasSubstr("Ice.MessageSizeMax"));
  }
  EXPECT_NO_THROW(admin_->removeApplication("app"));
}

TEST_F(admin_applications, count_their_revisions) {
  admin_->addApplication(app_);
  const administrator ann{at_};
  const auto anns = ann.admin("ann");
  anns->syncApplication(app_);
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  update.description = std::make_shared<IceGrid::BoxedString>("new words");
  anns->updateApplication(update);
  anns->syncApplicationWithoutRestart(admin_->getApplicationInfo("app").descriptor);
  anns->updateApplicationWithoutRestart(update);
  const auto info = admin_->getApplicationInfo("app");
  EXPECT_EQ(info.revision, 5);
  EXPECT_EQ(info.createUser, "joe");
  EXPECT_EQ(info.updateUser, "ann");
  EXPECT_EQ(info.descriptor.description, "new words");
}

TEST_F(admin_applications, that_do_not_exist_are_named) {
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "zz";
  auto other = app_;
  other.name = "zz";
  const std::vector<std::function<void()>> all{
      [&] { admin_->syncApplication(other); },
      [&] { admin_->syncApplicationWithoutRestart(other); },
      [&] { admin_->updateApplication(update); },
      [&] { admin_->updateApplicationWithoutRestart(update); },
      [&] { admin_->removeApplication("zz"); },
      [&] { admin_->patchApplication("zz", false); },
      [&] { admin_->instantiateServer("zz", "node1", {}); },
      [&] { (void)admin_->getApplicationInfo("zz"); },
  };
  for (const auto& one : all) {
    try {
      one();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ApplicationNotExistException& refused) {
      EXPECT_EQ(refused.name, "zz");
    }
  }
}

TEST_F(admin_applications, are_refused_with_a_reason_and_change_nothing_then) {
  admin_->addApplication(app_);
  const auto reason = [&](const IceGrid::ApplicationDescriptor& wrong) {
    return reason_of<DeploymentException>([&] { admin_->addApplication(wrong); });
  };
  EXPECT_EQ(reason(app_), "application `app' already exists");
  IceGrid::ApplicationDescriptor nameless;
  EXPECT_EQ(reason(nameless), "invalid application: empty name");
  auto same_server = descriptor::sample::application("two");
  same_server.nodes["node1"].servers[0]->id = "app-server1";
  EXPECT_EQ(reason(same_server), "server `app-server1' is already registered");
  auto no_group = descriptor::sample::application("two");
  no_group.nodes["node1"].servers[0]->adapters[0].replicaGroupId = "NOPE";
  EXPECT_THAT(reason(no_group), HasSubstr("couldn't find replica group `NOPE'"));
  auto of_none = no_group;
  of_none.name = "app";
  EXPECT_THAT(reason_of<DeploymentException>([&] { admin_->syncApplication(of_none); }), HasSubstr("NOPE"))
      << "a group that is not there is not an application that is not there";
  EXPECT_THAT(admin_->getAllApplicationNames(), ElementsAre("app"));
  EXPECT_EQ(admin_->getApplicationInfo("app").revision, 1);
}

TEST_F(admin_applications, guard_what_they_describe) {
  admin_->addApplication(app_);
  const std::string object =
      " object `app-single' is not allowed: the object was added with the application "
      "descriptor `app'";
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->removeObject({"app-single", ""}); }), "removing" + object);
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->updateObject(joe_.proxy("app-single@x")); }),
            "updating" + object);
  EXPECT_THROW(admin_->addObjectWithType(joe_.proxy("app-single@x"), "::T"), IceGrid::ObjectExistsException);
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->removeAdapter("app-adapter1"); }),
            "removing adapter `app-adapter1' is not allowed: the adapter was added with the application descriptor "
            "`app'");
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->removeAdapter("app-group"); }),
            "removing adapter `app-group' is not allowed: the adapter was added with the application descriptor `app'");
  EXPECT_EQ(admin_->getAdapterInfo("app-group").size(), 2U);
  EXPECT_EQ(admin_->getAdapterInfo("app-adapter1").at(0).proxy, nullptr);
  admin_->removeApplication("app");
  EXPECT_THROW((void)admin_->getAdapterInfo("app-group"), IceGrid::AdapterNotExistException);
}

TEST_F(admin_applications, have_servers_on_nodes_that_are_out_of_reach) {
  admin_->addApplication(app_);
  EXPECT_THAT(admin_->getAllServerIds(), ElementsAre("app-server1", "app-server2"));
  EXPECT_THAT(admin_->getAllNodeNames(), ElementsAre("node1"));
  EXPECT_FALSE(admin_->pingNode("node1"));
  const auto info = admin_->getServerInfo("app-server2");
  EXPECT_EQ(info.application, "app");
  EXPECT_EQ(info.node, "node1");
  EXPECT_EQ(info.revision, 1);
  EXPECT_EQ(info.descriptor->adapters.size(), 2U);
  EXPECT_EQ(admin_->getServerAdminCategory(), "T-RegistryServerAdminRouter");
  EXPECT_NO_THROW(admin_->patchServer("app-server1", true)) << "there is nothing to patch";

  const auto of_server = [&](const std::string& id) -> std::vector<std::function<void()>> {
    return {[=, this] { (void)admin_->getServerState(id); },
            [=, this] { (void)admin_->getServerPid(id); },
            [=, this] { (void)admin_->getServerAdmin(id); },
            [=, this] { admin_->enableServer(id, true); },
            [=, this] { (void)admin_->isServerEnabled(id); },
            [=, this] { admin_->startServer(id); },
            [=, this] { admin_->stopServer(id); },
            [=, this] { admin_->sendSignal(id, "SIGTERM"); }};
  };
  for (const auto& one : of_server("app-server1")) {
    EXPECT_EQ(reason_of<IceGrid::NodeUnreachableException>(one), "the node is not active");
  }
  auto of_nobody = of_server("zz");
  of_nobody.push_back([&] { (void)admin_->getServerInfo("zz"); });
  of_nobody.push_back([&] { admin_->patchServer("zz", true); });
  for (const auto& one : of_nobody) EXPECT_THROW(one(), IceGrid::ServerNotExistException);

  const auto of_node = [&](const std::string& name) -> std::vector<std::function<void()>> {
    return {[=, this] { (void)admin_->getNodeInfo(name); },
            [=, this] { (void)admin_->getNodeLoad(name); },
            [=, this] { (void)admin_->getNodeAdmin(name); },
            [=, this] { (void)admin_->getNodeHostname(name); },
            [=, this] { admin_->shutdownNode(name); },
            [=, this] { (void)admin_->getNodeProcessorSocketCount(name); }};
  };
  for (const auto& one : of_node("node1")) {
    EXPECT_EQ(reason_of<IceGrid::NodeUnreachableException>(one), "the node is not active");
  }
  auto of_no_node = of_node("zz");
  of_no_node.push_back([&] { (void)admin_->pingNode("zz"); });
  for (const auto& one : of_no_node) EXPECT_THROW(one(), IceGrid::NodeNotExistException);
}

TEST_F(admin_applications, with_files_to_distribute_are_told_that_nobody_does) {
  auto distributed = app_;
  distributed.distrib.icepatch = "IcePatch2/server";
  admin_->addApplication(distributed);
  EXPECT_THROW(admin_->patchApplication("app", true), IceGrid::PatchException);
  EXPECT_THROW(admin_->patchServer("app-server1", true), IceGrid::PatchException);
}

TEST_F(admin_applications, have_no_templates_to_offer_yet) {
  admin_->addApplication(app_);
  EXPECT_THAT(reason_of<DeploymentException>([&] { (void)admin_->getDefaultApplicationDescriptor(); }),
              HasSubstr("no default templates configured"));
  EXPECT_THAT(reason_of<DeploymentException>([&] { admin_->instantiateServer("app", "node1", {}); }),
              HasSubstr("templates"));
}

}  // namespace
}  // namespace muster::ice

#include "muster/descriptor/contents.hpp"

#include <gtest/gtest.h>

#include "muster/descriptor/sample.test.hpp"

namespace muster::descriptor {
namespace {

TEST(contents, are_the_groups_servers_adapters_and_objects_of_an_application) {
  const auto found = contents_of(sample::application("app"));
  ASSERT_EQ(found.replica_groups.size(), 1U);
  EXPECT_EQ(found.replica_groups[0].id, "app-group");
  EXPECT_EQ(found.replica_groups[0].policy, load_balancing::round_robin);
  EXPECT_EQ(found.replica_groups[0].n_replicas, 2);
  ASSERT_EQ(found.replica_groups[0].objects.size(), 1U);
  EXPECT_EQ(found.replica_groups[0].objects[0].id.name, "app-replicated");
  ASSERT_EQ(found.servers.size(), 2U);
  EXPECT_EQ(found.servers[1].node, "node1");
  ASSERT_EQ(found.adapters.size(), 3U);
  EXPECT_EQ(found.adapters[0].replica_group, "app-group");
  EXPECT_EQ(found.adapters[2].server, "app-server2");
  EXPECT_EQ(found.adapters[2].objects.at(0).type, "::Demo::Other");
  EXPECT_EQ(found.nodes, std::vector<std::string>{"node1"});
}

TEST(contents, have_the_variables_replaced_that_are_known_without_templates) {
  IceGrid::ApplicationDescriptor application;
  application.name = "app";
  application.variables = {{"prefix", "p"}, {"override", "of the application"}};
  application.replicaGroups = {sample::group("${application}.${prefix}")};
  auto& node = application.nodes["n"];
  node.variables = {{"override", "of the node"}};
  node.servers = {sample::server("${node}-${prefix}", {sample::adapter("${server}.Hello", "${application}.p",
                                                                       {sample::object("${server}", "${override}")})})};
  const auto found = contents_of(application);
  EXPECT_EQ(found.replica_groups.at(0).id, "app.p");
  EXPECT_EQ(found.servers.at(0).id, "n-p");
  EXPECT_EQ(found.adapters.at(0).id, "n-p.Hello");
  EXPECT_EQ(found.adapters.at(0).replica_group, "app.p");
  EXPECT_EQ(found.adapters.at(0).objects.at(0).id.name, "n-p");
  EXPECT_EQ(found.adapters.at(0).objects.at(0).type, "of the node");
}

TEST(contents, leave_out_what_cannot_be_named) {
  IceGrid::ApplicationDescriptor application;
  application.name = "app";
  application.replicaGroups = {sample::group(""), sample::group("${x}"), sample::group("g", {sample::object("${x}")})};
  application.nodes["n"].servers = {nullptr, sample::server("${x}"), sample::server("s", {sample::adapter("${x}")})};
  const auto found = contents_of(application);
  ASSERT_EQ(found.replica_groups.size(), 1U);
  EXPECT_TRUE(found.replica_groups[0].objects.empty());
  ASSERT_EQ(found.servers.size(), 1U);
  EXPECT_EQ(found.servers[0].id, "s");
  EXPECT_TRUE(found.adapters.empty());
}

TEST(contents, give_objects_the_proxy_options_of_their_group_or_adapter) {
  IceGrid::ApplicationDescriptor application;
  application.name = "app";
  auto group = sample::group("g", {sample::object("plain"), sample::object("own", "", "-o")});
  group.proxyOptions = "-s";
  application.replicaGroups = {group};
  auto server = sample::server("s", {sample::adapter("a", "", {sample::object("served")})});
  server->propertySet.properties = {{"Hello.ProxyOptions", "-d"}};
  application.nodes["n"].servers = {server};
  const auto found = contents_of(application);
  EXPECT_EQ(found.replica_groups.at(0).objects.at(0).proxy_options, "-s");
  EXPECT_EQ(found.replica_groups.at(0).objects.at(1).proxy_options, "-o");
  EXPECT_EQ(found.adapters.at(0).objects.at(0).proxy_options, "-d");
}

TEST(contents, know_the_services_that_stand_in_an_icebox) {
  auto service = std::make_shared<IceGrid::ServiceDescriptor>();
  service->name = "Weather";
  service->adapters = {sample::adapter("${server}.${service}")};
  auto box = sample::server<IceGrid::IceBoxDescriptor>("box");
  box->services = {{"", {}, service, {}}};
  IceGrid::ApplicationDescriptor application;
  application.name = "app";
  application.nodes["n"].servers = {box};
  EXPECT_EQ(contents_of(application).adapters.at(0).id, "box.Weather");
}

TEST(contents, tell_each_load_balancing_policy) {
  IceGrid::ApplicationDescriptor application;
  application.name = "app";
  for (const auto* id : {"random", "ordered", "adaptive"}) application.replicaGroups.push_back(sample::group(id));
  application.replicaGroups[0].loadBalancing = std::make_shared<IceGrid::RandomLoadBalancingPolicy>("0");
  application.replicaGroups[1].loadBalancing = std::make_shared<IceGrid::OrderedLoadBalancingPolicy>("");
  application.replicaGroups[2].loadBalancing = std::make_shared<IceGrid::AdaptiveLoadBalancingPolicy>("3", "15");
  const auto found = contents_of(application).replica_groups;
  EXPECT_EQ(found[0].policy, load_balancing::random);
  EXPECT_EQ(found[0].n_replicas, 0);
  EXPECT_EQ(found[1].policy, load_balancing::ordered);
  EXPECT_EQ(found[1].n_replicas, 1) << "one member is the default";
  EXPECT_EQ(found[2].policy, load_balancing::adaptive);
  EXPECT_EQ(found[2].load_sample, "15");
}

}  // namespace
}  // namespace muster::descriptor

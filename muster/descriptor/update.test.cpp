#include "muster/descriptor/update.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "muster/descriptor/marshal.hpp"
#include "muster/descriptor/sample.test.hpp"

namespace muster::descriptor {
namespace {

[[nodiscard]] std::vector<std::string> ids_of(const IceGrid::ServerDescriptorSeq& servers) {
  std::vector<std::string> ids;
  for (const auto& server : servers) ids.push_back(server->id);
  return ids;
}

[[nodiscard]] IceGrid::ApplicationUpdateDescriptor update_of_node(IceGrid::NodeUpdateDescriptor node) {
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  update.nodes = {std::move(node)};
  return update;
}

[[nodiscard]] IceGrid::NodeUpdateDescriptor node_update(std::string name) {
  IceGrid::NodeUpdateDescriptor node;
  node.name = std::move(name);
  return node;
}

TEST(update, without_content_changes_nothing) {
  const auto before = sample::rich_application("app");
  IceGrid::ApplicationUpdateDescriptor nothing;
  nothing.name = "app";
  EXPECT_EQ(encode(apply_update(before, nothing)), encode(before));
}

TEST(update, sets_what_is_boxed_and_leaves_what_is_not) {
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  update.description = std::make_shared<IceGrid::BoxedString>("");
  const auto before = sample::application("app");
  EXPECT_EQ(apply_update(before, update).description, "");
  update.description = nullptr;
  update.distrib =
      std::make_shared<IceGrid::BoxedDistributionDescriptor>(IceGrid::DistributionDescriptor{"icepatch", {}});
  const auto after = apply_update(before, update);
  EXPECT_EQ(after.description, before.description);
  EXPECT_EQ(after.distrib.icepatch, "icepatch");
}

TEST(update, removes_replaces_and_adds_replica_groups) {
  auto before = sample::application("app");
  before.replicaGroups = {sample::group("a"), sample::group("b"), sample::group("c")};
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  update.removeReplicaGroups = {"a", "never there"};
  update.replicaGroups = {sample::group("b", {sample::object("new")}), sample::group("d")};
  const auto groups = apply_update(before, update).replicaGroups;
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].id, "b");
  EXPECT_EQ(groups[0].objects.size(), 1U);
  EXPECT_EQ(groups[1].id, "c");
  EXPECT_EQ(groups[2].id, "d");
}

TEST(update, replaces_what_it_removes_and_gives_again) {
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  update.removeVariables = {"x"};
  update.variables = {{"x", "new"}};
  auto before = sample::application("app");
  before.variables = {{"x", "old"}, {"y", "kept"}};
  EXPECT_EQ(apply_update(before, update).variables, (IceGrid::StringStringDict{{"x", "new"}, {"y", "kept"}}));
}

TEST(update, removes_and_makes_nodes) {
  auto update = update_of_node(node_update("node9"));
  update.removeNodes = {"node1"};
  update.nodes[0].loadFactor = std::make_shared<IceGrid::BoxedString>("2.0");
  const auto nodes = apply_update(sample::application("app"), update).nodes;
  EXPECT_FALSE(nodes.contains("node1"));
  EXPECT_EQ(nodes.at("node9").loadFactor, "2.0");
}

TEST(update, changes_the_servers_of_a_node) {
  auto node = node_update("node1");
  node.removeServers = {"app-server1"};
  node.servers = {sample::server("app-server2"), sample::server("app-server3")};
  const auto after = apply_update(sample::application("app"), update_of_node(node));
  EXPECT_EQ(ids_of(after.nodes.at("node1").servers), (std::vector<std::string>{"app-server2", "app-server3"}));
  EXPECT_TRUE(after.nodes.at("node1").servers[0]->adapters.empty()) << "the new description, not the old one";
}

TEST(update, knows_the_instances_of_templates_by_the_ids_of_their_servers) {
  const auto before = sample::rich_application("app");
  auto node = node_update("node2");
  node.serverInstances = {{"Template", {{"index", "7"}}, {{}, {{"new", "property"}}}, {}},
                          {"Template", {{"index", "8"}}, {}, {}}};
  auto after = apply_update(before, update_of_node(node));
  ASSERT_EQ(after.nodes.at("node2").serverInstances.size(), 2U);
  EXPECT_EQ(after.nodes.at("node2").serverInstances[0].propertySet.properties.size(), 1U);

  node.serverInstances.clear();
  node.removeServers = {"app-7"};
  after = apply_update(after, update_of_node(node));
  ASSERT_EQ(after.nodes.at("node2").serverInstances.size(), 1U);
  EXPECT_EQ(after.nodes.at("node2").serverInstances[0].parameterValues.at("index"), "8");
}

TEST(update, lets_a_plain_server_oust_an_instance_of_its_id) {
  auto node = node_update("node2");
  node.servers = {sample::server("app-7")};
  const auto after = apply_update(sample::rich_application("app"), update_of_node(node));
  EXPECT_TRUE(after.nodes.at("node2").serverInstances.empty());
  EXPECT_EQ(ids_of(after.nodes.at("node2").servers), std::vector<std::string>{"app-7"});
}

TEST(update, leaves_the_application_that_it_starts_from_alone) {
  const auto before = sample::rich_application("app");
  const auto encoded = encode(before);
  auto node = node_update("node1");
  node.removeServers = {"app-server1"};
  static_cast<void>(apply_update(before, update_of_node(node)));
  EXPECT_EQ(encode(before), encoded);
}

}  // namespace
}  // namespace muster::descriptor

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <IceGrid/Admin.h>

#include "muster/catalog/any_change.test.hpp"
#include "muster/catalog/apply.hpp"

namespace muster::catalog {
namespace {

using sample::direct;
namespace descriptors = sample::descriptors;

[[nodiscard]] std::shared_ptr<const IceGrid::ApplicationDescriptor> shared(IceGrid::ApplicationDescriptor one) {
  return std::make_shared<const IceGrid::ApplicationDescriptor>(std::move(one));
}

[[nodiscard]] add_application adding(IceGrid::ApplicationDescriptor one) {
  return {"the uuid", {1'000, "creator"}, shared(std::move(one))};
}

[[nodiscard]] sync_application syncing(IceGrid::ApplicationDescriptor one) {
  return {{2'000, "editor"}, shared(std::move(one))};
}

/// A state that holds `descriptors::application("app")`, at serial 1.
class applications : public testing::Test {
 protected:
  applications() { EXPECT_TRUE(apply(adding(descriptors::application("app")))); }

  [[nodiscard]] result<void> apply(const change& one) {
    rows_.clear();
    return catalog::apply(state_, one, ++serial_, rows_);
  }

  void expect_refused(const change& one, errc code, const std::string& sentence) {
    const state before = state_;
    const auto refused = apply(one);
    ASSERT_FALSE(refused) << describe(one);
    EXPECT_EQ(refused.error().code, code);
    EXPECT_EQ(refused.error().message, sentence);
    EXPECT_TRUE(rows_.empty());
    EXPECT_TRUE(state_ == before);
  }

  state state_;
  std::vector<row> rows_;
  std::uint64_t serial_{0};
};

TEST_F(applications, are_stored_with_their_stamps) {
  const auto* found = state_.find_application("app");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->info->uuid, "the uuid");
  EXPECT_EQ(found->info->createTime, 1'000);
  EXPECT_EQ(found->info->createUser, "creator");
  EXPECT_EQ(found->info->updateTime, 1'000);
  EXPECT_EQ(found->info->revision, 1);
  EXPECT_EQ(found->info->descriptor.description, "An application for tests");
  EXPECT_EQ(found->row_key, 1U);
  ASSERT_EQ(rows_.size(), 1U) << "what it deploys comes back with it";
  EXPECT_EQ(rows_[0].table, static_cast<std::uint8_t>(table::applications));
}

TEST_F(applications, deploy_groups_servers_adapters_and_objects) {
  const auto* group = state_.find_replica_group("app-group");
  ASSERT_NE(group, nullptr);
  EXPECT_TRUE(group->is_deployed());
  EXPECT_EQ(group->deployment->entry.policy, descriptor::load_balancing::round_robin);
  EXPECT_EQ(group->deployed_members.size(), 2U);
  EXPECT_EQ(state_.find_server("app-server2")->entry.node, "node1");
  EXPECT_EQ(state_.find_deployed_adapter("app-adapter3")->entry.server, "app-server2");
  const auto* replicated = state_.find_object({"app-replicated", ""});
  ASSERT_NE(replicated, nullptr);
  EXPECT_EQ(replicated->application(), "app");
  EXPECT_EQ(trusted_view(replicated->proxy()).adapter_id, "app-group");
  EXPECT_EQ(state_.find_objects_of_type("::Demo::Other")->size(), 1U);
}

TEST_F(applications, have_unique_names) {
  expect_refused(adding(descriptors::application("app")), errc::already_exists, "application `app' already exists");
  expect_refused(syncing(descriptors::application("other")), errc::not_found, "application `other' does not exist");
  expect_refused(remove_application{"other"}, errc::not_found, "application `other' does not exist");
}

TEST_F(applications, are_judged_before_they_are_stored) {
  expect_refused(adding({}), errc::invalid_argument, "invalid application: empty name");
}

/// An application "other" of one server with one adapter.
[[nodiscard]] IceGrid::ApplicationDescriptor other(const std::string& server, const std::string& adapter,
                                                   const std::string& group = "",
                                                   const IceGrid::ObjectDescriptorSeq& objects = {}) {
  IceGrid::ApplicationDescriptor made;
  made.name = "other";
  made.nodes["node1"].servers = {descriptors::server(server, {descriptors::adapter(adapter, group, objects)})};
  return made;
}

TEST_F(applications, do_not_take_what_another_has) {
  expect_refused(adding(other("app-server1", "A")), errc::already_exists, "server `app-server1' is already registered");
  expect_refused(adding(other("S", "app-adapter1")), errc::already_exists,
                 "adapter `app-adapter1' is already registered");
  expect_refused(adding(other("S", "app-group")), errc::already_exists, "adapter `app-group' is already registered");
  expect_refused(adding(other("S", "A", "", {descriptors::object("app-single")})), errc::already_exists,
                 "object `app-single' is already registered");
  auto groups = other("S", "A");
  groups.replicaGroups = {descriptors::group("app-group")};
  expect_refused(adding(groups), errc::already_exists, "replica group `app-group' is already registered");
}

TEST_F(applications, do_not_take_what_was_registered_dynamically) {
  ASSERT_TRUE(apply(set_adapter{"A", "G", direct({"dummy", ""}, 1)}));
  ASSERT_TRUE(apply(add_object{"::T", direct({"o", ""}, 1)}));
  expect_refused(adding(other("S", "A")), errc::already_exists, "adapter `A' is already registered");
  expect_refused(adding(other("S", "G")), errc::already_exists, "adapter `G' is already registered");
  expect_refused(adding(other("S", "B", "", {descriptors::object("o")})), errc::already_exists,
                 "object `o' is already registered");
}

TEST_F(applications, keep_allocatable_objects_to_themselves) {
  auto first = other("S", "A");
  first.nodes["node1"].servers[0]->adapters[0].allocatables = {descriptors::object("seat")};
  ASSERT_TRUE(apply(adding(first)));
  EXPECT_EQ(state_.find_object({"seat", ""}), nullptr);
  EXPECT_NE(state_.find_allocatable({"seat", ""}), nullptr);
  expect_refused(add_object{"::T", direct({"seat", ""}, 1)}, errc::already_exists,
                 "object `seat' is already registered");
  ASSERT_TRUE(apply(remove_application{"other"}));
  EXPECT_EQ(state_.find_allocatable({"seat", ""}), nullptr);
}

TEST_F(applications, may_add_adapters_to_a_group_of_another) {
  ASSERT_TRUE(apply(adding(other("S", "A", "app-group"))));
  EXPECT_EQ(state_.find_replica_group("app-group")->deployed_members.size(), 3U);
  expect_refused(
      remove_application{"app"}, errc::conflict,
      "couldn't remove application because the replica group `app-group' is used by object adapters from other "
      "applications");
  auto without_group = descriptors::application("app");
  without_group.replicaGroups.clear();
  without_group.nodes.clear();
  expect_refused(
      syncing(without_group), errc::conflict,
      "couldn't update application because the replica group `app-group' is used by object adapters from other "
      "applications");
  ASSERT_TRUE(apply(syncing(descriptors::application("app"))));
  EXPECT_EQ(state_.find_replica_group("app-group")->deployed_members.size(), 3U) << "the other's member stayed";
  ASSERT_TRUE(apply(remove_application{"other"}));
  EXPECT_EQ(state_.find_replica_group("app-group")->deployed_members.size(), 2U);
  ASSERT_TRUE(apply(remove_application{"app"}));
}

TEST_F(applications, need_the_groups_that_their_adapters_name) {
  expect_refused(adding(other("S", "A", "nowhere")), errc::invalid_argument,
                 "adapter `A': couldn't find replica group `nowhere'");
  ASSERT_TRUE(apply(set_adapter{"D", "dynamic", {}}));
  expect_refused(adding(other("S", "A", "dynamic")), errc::invalid_argument,
                 "adapter `A': couldn't find replica group `dynamic'");
}

TEST_F(applications, take_everything_with_them) {
  ASSERT_TRUE(apply(remove_application{"app"}));
  EXPECT_EQ(rows_, (std::vector<row>{{3, 1, std::nullopt}}));
  EXPECT_TRUE(state_ == state{});
}

TEST_F(applications, are_synced_to_a_whole_new_description) {
  auto after = descriptors::application("app");
  after.replicaGroups[0].objects = {descriptors::object("fresh")};
  after.nodes["node1"].servers.pop_back();
  ASSERT_TRUE(apply(syncing(after)));
  const auto& info = *state_.find_application("app")->info;
  EXPECT_EQ(info.revision, 2);
  EXPECT_EQ(info.uuid, "the uuid");
  EXPECT_EQ(info.createUser, "creator");
  EXPECT_EQ(info.updateUser, "editor");
  EXPECT_EQ(info.updateTime, 2'000);
  EXPECT_EQ(state_.find_object({"app-replicated", ""}), nullptr);
  EXPECT_NE(state_.find_object({"fresh", ""}), nullptr);
  EXPECT_EQ(state_.find_server("app-server2"), nullptr);
  EXPECT_EQ(state_.find_replica_group("app-group")->deployed_members.size(), 1U);
  ASSERT_EQ(rows_.size(), 1U);
  EXPECT_EQ(rows_[0].key, 1U);
}

TEST_F(applications, are_updated_by_differences_that_are_applied_in_their_turn) {
  for (const auto* id : {"first", "second"}) {
    auto update = std::make_shared<IceGrid::ApplicationUpdateDescriptor>();
    update->name = "app";
    update->replicaGroups = {descriptors::group(id)};
    ASSERT_TRUE(apply(update_application{{3'000, "editor"}, update}));
  }
  EXPECT_NE(state_.find_replica_group("first"), nullptr);
  EXPECT_NE(state_.find_replica_group("second"), nullptr);
  EXPECT_EQ(state_.find_application("app")->info->revision, 3);

  auto update = std::make_shared<IceGrid::ApplicationUpdateDescriptor>();
  update->name = "app";
  update->removeReplicaGroups = {"app-group"};
  expect_refused(update_application{{3'000, "editor"}, update}, errc::invalid_argument,
                 "adapter `app-adapter1': couldn't find replica group `app-group'");
  update->name = "other";
  expect_refused(update_application{{3'000, "editor"}, update}, errc::not_found, "application `other' does not exist");
}

TEST_F(applications, keep_their_objects_and_adapters_from_single_changes) {
  const std::string by = " is not allowed: the object was added with the application descriptor `app'";
  expect_refused(add_object{"::T", direct({"app-single", ""}, 1)}, errc::already_exists,
                 "object `app-single' is already registered");
  expect_refused(update_object{direct({"app-single", ""}, 1)}, errc::conflict, "updating object `app-single'" + by);
  expect_refused(remove_object{{"app-single", ""}}, errc::conflict, "removing object `app-single'" + by);
  for (const auto* id : {"app-adapter1", "app-group"}) {
    expect_refused(remove_adapter{id}, errc::conflict,
                   "removing adapter `" + std::string{id} +
                       "' is not allowed: the adapter was added with the application descriptor `app'");
    const auto sentence = "registering adapter `" + std::string{id} +
                          "' is not allowed: an adapter or replica group of this id was added with the application "
                          "descriptor `app'";
    expect_refused(set_adapter{id, "", {}}, errc::already_exists, sentence);
    expect_refused(unset_adapter{id}, errc::already_exists, sentence);
  }
}

TEST_F(applications, keep_dynamic_adapters_out_of_their_groups) {
  for (const auto* id : {"app-group", "app-adapter1"}) {
    expect_refused(set_adapter{"A", id, direct({"dummy", ""}, 1)}, errc::conflict,
                   "registering adapter `A' with the replica group `" + std::string{id} +
                       "' is not allowed: the replica group was added with the application descriptor `app', and only "
                       "adapters specified in an application descriptor can be members of it");
  }
}

}  // namespace
}  // namespace muster::catalog

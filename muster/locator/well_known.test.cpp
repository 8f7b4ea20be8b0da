#include "muster/locator/well_known.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "muster/locator/test_proxies.hpp"

namespace muster::locator {
namespace {

using testing::dummy;
using testing::identity_of;
using testing::ports_of;

active_replica master(std::string name = "Master") {
  return {
      .name = std::move(name), .is_master = true, .client = dummy({1}), .server = dummy({2}), .internal = dummy({3})};
}

active_replica slave(std::string name, int first_port) {
  return {.name = std::move(name),
          .client = dummy({first_port}),
          .server = dummy({first_port + 1}),
          .internal = dummy({first_port + 2})};
}

using listing = std::map<std::string, std::pair<std::string, std::vector<int>>>;

listing listed(const well_known& objects) {
  listing out;
  for (const auto& object : objects.objects()) {
    if (!object.is_listed) continue;
    const byte_view proxy = object.proxy.content();
    EXPECT_TRUE(out.emplace(identity_of(proxy), std::pair{object.type, ports_of(proxy)}).second);
  }
  return out;
}

TEST(well_known, objects_of_a_fresh_master_are_those_of_ice_3_7) {
  const auto objects = well_known::make("T", "Master", std::vector{master()});
  EXPECT_EQ(listed(*objects), (listing{{"T/Query", {"::IceGrid::Query", {1}}},
                                       {"T/Locator", {"::Ice::Locator", {1}}},
                                       {"T/Registry", {"::IceGrid::Registry", {1}}},
                                       {"T/LocatorRegistry", {"::Ice::LocatorRegistry", {2}}},
                                       {"T/InternalRegistry-Master", {"::IceGrid::InternalRegistry", {3}}}}));
}

TEST(well_known, objects_of_the_instance_carry_the_endpoints_of_all_replicas_the_masters_first) {
  const std::vector replicas{slave("S2", 20), slave("S1", 10), master()};
  for (const char* self : {"Master", "S1", "S2"}) {
    const auto objects = well_known::make("T", self, replicas);
    EXPECT_EQ(listed(*objects), (listing{{"T/Query", {"::IceGrid::Query", {1, 10, 20}}},
                                         {"T/Locator", {"::Ice::Locator", {1, 10, 20}}},
                                         {"T/LocatorRegistry", {"::Ice::LocatorRegistry", {2, 11, 21}}},
                                         {"T/Registry", {"::IceGrid::Registry", {1}}},
                                         {"T/Registry-S1", {"::IceGrid::Registry", {10}}},
                                         {"T/Registry-S2", {"::IceGrid::Registry", {20}}},
                                         {"T/InternalRegistry-Master", {"::IceGrid::InternalRegistry", {3}}},
                                         {"T/InternalRegistry-S1", {"::IceGrid::InternalRegistry", {12}}},
                                         {"T/InternalRegistry-S2", {"::IceGrid::InternalRegistry", {22}}}}))
        << "seen by " << self;
  }
}

TEST(well_known, proxies_that_a_caller_keeps_have_the_answering_replica_first) {
  const std::vector replicas{master(), slave("S1", 10), slave("S2", 20)};
  const auto on_s1 = well_known::make("T", "S1", replicas);
  EXPECT_EQ(identity_of(on_s1->locator_registry().content()), "T/LocatorRegistry");
  EXPECT_EQ(ports_of(on_s1->locator_registry().content()), (std::vector{11, 2, 21}));
  EXPECT_EQ(identity_of(on_s1->locator().content()), "T/Locator");
  EXPECT_EQ(ports_of(on_s1->locator().content()), (std::vector{10, 1, 20}));
  const auto on_master = well_known::make("T", "Master", replicas);
  EXPECT_EQ(ports_of(on_master->locator_registry().content()), (std::vector{2, 11, 21}));
}

TEST(well_known, local_proxies_have_the_answering_replicas_endpoints_alone) {
  const std::vector replicas{master(), slave("S1", 10)};
  const auto on_master = well_known::make("T", "Master", replicas);
  EXPECT_EQ(identity_of(on_master->local_registry().content()), "T/Registry");
  EXPECT_EQ(ports_of(on_master->local_registry().content()), std::vector{1});
  const auto on_s1 = well_known::make("T", "S1", replicas);
  EXPECT_EQ(identity_of(on_s1->local_registry().content()), "T/Registry-S1");
  EXPECT_EQ(identity_of(on_s1->local_query().content()), "T/Query");
  EXPECT_EQ(ports_of(on_s1->local_query().content()), std::vector{10});
}

TEST(well_known, session_managers_are_of_the_master_and_administrative_ones_of_every_replica_that_has_them) {
  auto with_managers = [](active_replica replica, int port) {
    replica.session_manager = dummy({port});
    replica.admin_session_manager = dummy({port + 1});
    replica.has_user_account_mapper = true;
    return replica;
  };
  const std::vector replicas{with_managers(master(), 5), with_managers(slave("S1", 10), 15), slave("S2", 20)};
  const auto all = listed(*well_known::make("T", "Master", replicas));
  const auto at = [&](const char* id) {
    const auto found = all.find(id);
    return found == all.end() ? std::pair{std::string{"none"}, std::vector<int>{}} : found->second;
  };
  EXPECT_EQ(at("T/SessionManager"), (std::pair{std::string{"::Glacier2::SessionManager"}, std::vector{5}}));
  EXPECT_EQ(at("T/SSLSessionManager"), (std::pair{std::string{"::Glacier2::SSLSessionManager"}, std::vector{5}}));
  EXPECT_FALSE(all.contains("T/SessionManager-S1"));
  EXPECT_EQ(at("T/AdminSessionManager"), (std::pair{std::string{"::Glacier2::SessionManager"}, std::vector{6}}));
  EXPECT_EQ(at("T/AdminSessionManager-S1"), (std::pair{std::string{"::Glacier2::SessionManager"}, std::vector{16}}));
  EXPECT_EQ(at("T/AdminSSLSessionManager-S1"),
            (std::pair{std::string{"::Glacier2::SSLSessionManager"}, std::vector{16}}));
  EXPECT_FALSE(all.contains("T/AdminSessionManager-S2"));
  EXPECT_EQ(at("T/RegistryUserAccountMapper"),
            (std::pair{std::string{"::IceGrid::UserAccountMapper"}, std::vector{3}}));
  EXPECT_EQ(at("T/RegistryUserAccountMapper-S1"),
            (std::pair{std::string{"::IceGrid::UserAccountMapper"}, std::vector{12}}));
}

TEST(well_known, locator_of_one_replica_is_found_and_not_listed) {
  const auto objects = well_known::make("T", "S1", std::vector{master(), slave("S1", 10)});
  const own_object* locator = objects->find({"Locator-S1", "T"});
  ASSERT_NE(locator, nullptr);
  EXPECT_FALSE(locator->is_listed);
  EXPECT_EQ(ports_of(locator->proxy.content()), std::vector{10});
}

TEST(well_known, objects_are_found_by_their_whole_identity) {
  const auto objects = well_known::make("T", "Master", std::vector{master(), slave("S1", 10)});
  for (const auto& object : objects->objects()) {
    EXPECT_EQ(objects->find(object.proxy.view().identity), &object);
  }
  EXPECT_EQ(objects->find({"Query", ""}), nullptr);
  EXPECT_EQ(objects->find({"Query", "U"}), nullptr);
  EXPECT_EQ(objects->find({"Registry-S2", "T"}), nullptr);
  EXPECT_EQ(objects->find({"", "T"}), nullptr);
}

TEST(well_known, category_of_the_instance_is_reserved) {
  const auto objects = well_known::make("T", "Master", std::vector{master()});
  EXPECT_TRUE(objects->is_reserved({"Query", "T"}));
  EXPECT_TRUE(objects->is_reserved({"anything", "T"}));
  EXPECT_FALSE(objects->is_reserved({"Query", ""}));
  EXPECT_FALSE(well_known{}.is_reserved({"Query", ""}));
}

TEST(well_known, objects_without_a_master_are_those_of_the_slaves) {
  const auto objects = well_known::make("T", "S2", std::vector{slave("S2", 20), slave("S1", 10)});
  const auto all = listed(*objects);
  EXPECT_EQ(all.at("T/Locator").second, (std::vector{10, 20}));
  EXPECT_FALSE(all.contains("T/Registry"));
}

TEST(well_known, without_any_replica_there_are_no_objects) {
  const auto objects = well_known::make("T", "S1", {});
  EXPECT_TRUE(objects->objects().empty());
  EXPECT_TRUE(objects->locator_registry().is_null());
  EXPECT_TRUE(objects->local_registry().is_null());
}

}  // namespace
}  // namespace muster::locator

#include "muster/locator/query.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "muster/locator/listing.hpp"
#include "muster/locator/test_views.hpp"

namespace muster::locator {
namespace {

using testing::application;
using testing::direct;
using testing::dummy;
using testing::identity_of;
using testing::policy;
using testing::view_builder;

bytes copy(byte_view content) { return {content.begin(), content.end()}; }

std::shared_ptr<const well_known> own_objects() {
  active_replica master;
  master.name = "Master";
  master.is_master = true;
  master.client = dummy({9});
  master.server = dummy({9});
  return well_known::make("T", "Master", std::vector{master});
}

IceGrid::ObjectDescriptor described(std::string name, std::string category, std::string type) {
  IceGrid::ObjectDescriptor object;
  object.id = {std::move(name), std::move(category)};
  object.type = std::move(type);
  return object;
}

std::vector<std::string> identities(const std::vector<byte_view>& proxies) {
  std::vector<std::string> out;
  for (const byte_view proxy : proxies) out.push_back(identity_of(proxy));
  return out;
}

std::vector<std::string> identities(const std::vector<object_entry>& entries) {
  std::vector<std::string> out;
  for (const auto& entry : entries) out.push_back(identity_of(entry.proxy));
  return out;
}

TEST(query, by_type_gives_null_or_nothing_for_a_type_without_objects) {
  view_builder from;
  prng random{1};
  EXPECT_EQ(copy(find_object_of_type(from, "::No", random)), (bytes{0, 0}));
  EXPECT_EQ(copy(find_object_of_type_on_least_loaded_node(from, {"::No", {}}, random)), (bytes{0, 0}));
  EXPECT_TRUE(find_all_objects_of_type(from, "::No").empty());
  EXPECT_TRUE(find_all_objects_of_type(from, "").empty());
}

TEST(query, by_type_picks_each_object_alike) {
  view_builder from;
  for (int i = 0; i < 10; ++i) from.object(direct({"o" + std::to_string(i), ""}, {i}), "::T");
  from.object(direct({"other", ""}, {1}), "::Other");
  prng random{1};
  std::map<std::string, int> count;
  for (int i = 0; i < 10'000; ++i) ++count[identity_of(find_object_of_type(from, "::T", random))];
  EXPECT_EQ(count.size(), 10U);
  for (const auto& [id, times] : count) EXPECT_NEAR(times, 1000, 200) << id;
}

TEST(query, by_type_includes_the_registrys_own_objects_but_not_those_that_are_not_listed) {
  view_builder from;
  from.own(own_objects());
  prng random{1};
  EXPECT_EQ(identity_of(find_object_of_type(from, "::IceGrid::Registry", random)), "T/Registry");
  EXPECT_EQ(identities(find_all_objects_of_type(from, "::Ice::Locator")), std::vector<std::string>{"T/Locator"});
  from.object(direct({"mine", ""}, {1}), "::Ice::Locator");
  EXPECT_EQ(find_all_objects_of_type(from, "::Ice::Locator").size(), 2U);
  std::map<std::string, int> count;
  for (int i = 0; i < 1000; ++i) ++count[identity_of(find_object_of_type(from, "::Ice::Locator", random))];
  EXPECT_EQ(count.size(), 2U);
}

TEST(query, on_the_least_loaded_node_prefers_objects_that_need_no_node_while_none_is_up) {
  view_builder from;
  from.application(
      application("app", "", nullptr, {{.adapter = "Deployed", .objects = {described("deployed", "", "::T")}}}));
  prng random{1};
  EXPECT_EQ(identity_of(find_object_of_type_on_least_loaded_node(from, {"::T", {}}, random)), "deployed")
      << "better than nothing";
  from.object(direct({"a", ""}, {1}), "::T").object(catalog::encoded_proxy::indirect({"b", ""}, "Dynamic"), "::T");
  std::map<std::string, int> count;
  for (int i = 0; i < 1000; ++i) {
    ++count[identity_of(find_object_of_type_on_least_loaded_node(from, {"::T", {}}, random))];
  }
  EXPECT_EQ(count.size(), 2U);
  EXPECT_EQ(count.count("deployed"), 0U);
  EXPECT_NEAR(count["a"], 500, 100);
}

TEST(query, all_of_a_type_come_in_the_order_of_ice_3_7) {
  view_builder from;
  from.application(application(
      "app", "", nullptr,
      {{.adapter = "A",
        .objects = {described("zz", "", "::T"), described("y", "cat", "::T"), described("long name", "", "::T")}}}));
  for (const auto& id :
       std::vector<catalog::identity_view>{{"b", ""}, {"a", "cat"}, {"a", ""}, {"B", ""}, {"aaa", ""}, {"ab", ""}}) {
    from.object(direct(id, {1}), "::T");
  }
  EXPECT_EQ(identities(find_all_objects_of_type(from, "::T")),
            (std::vector<std::string>{"long name", "zz", "cat/y", "B", "a", "cat/a", "b", "ab", "aaa"}));
}

TEST(query, all_of_a_type_with_very_many_objects_are_all_of_them_still) {
  view_builder from;
  from.own(own_objects());
  for (std::size_t i = 0; i <= ordered_objects_max; ++i)
    from.object(direct({std::to_string(i), ""}, {1}), "::IceGrid::Query");
  auto all = identities(find_all_objects_of_type(from, "::IceGrid::Query"));
  EXPECT_EQ(all.size(), ordered_objects_max + 2) << "the registry's own is one of them";
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(query, all_replicas_of_an_object_are_its_members_adapters_with_the_rest_of_the_proxy_kept) {
  view_builder from;
  from.adapter("dy10", "G", dummy({1})).adapter("dy2", "G", dummy({})).adapter("alone", "", dummy({3}));
  descriptor::proxy_options options;
  options.facet = "f";
  options.mode = catalog::proxy_mode::oneway;
  const auto given = catalog::encoded_proxy::indirect({"obj", "c"}, "G", options);
  const auto replicas = find_all_replicas(from, given.view());
  ASSERT_EQ(replicas.size(), 2U);
  EXPECT_EQ(replicas[0], copy(catalog::encoded_proxy::indirect({"obj", "c"}, "dy2", options).content()));
  EXPECT_EQ(replicas[1], copy(catalog::encoded_proxy::indirect({"obj", "c"}, "dy10", options).content()));
}

TEST(query, all_replicas_of_a_well_known_object_are_those_of_the_proxy_that_is_registered) {
  view_builder from;
  from.adapter("dy", "G", dummy({1}))
      .object(catalog::encoded_proxy::indirect({"obj", ""}, "G"), "::T")
      .object(direct({"direct", ""}, {1}), "::T");
  EXPECT_EQ(find_all_replicas(from, direct({"obj", ""}, {5}).view()),
            std::vector<bytes>{copy(catalog::encoded_proxy::indirect({"obj", ""}, "dy").content())})
      << "the endpoints of the given proxy do not count";
  EXPECT_TRUE(find_all_replicas(from, catalog::encoded_proxy::indirect({"direct", ""}, "").view()).empty());
}

TEST(query, all_replicas_include_members_that_are_not_available) {
  view_builder from;
  from.application(application("app", "G", policy<IceGrid::RandomLoadBalancingPolicy>("1"),
                               {{.adapter = "m2", .group = "G"}, {.adapter = "m1", .group = "G"}}));
  EXPECT_EQ(find_all_replicas(from, catalog::encoded_proxy::indirect({"obj", ""}, "G").view()),
            (std::vector<bytes>{copy(catalog::encoded_proxy::indirect({"obj", ""}, "m1").content()),
                                copy(catalog::encoded_proxy::indirect({"obj", ""}, "m2").content())}));
}

TEST(query, nothing_else_has_replicas) {
  view_builder from;
  from.adapter("alone", "", dummy({3})).own(own_objects());
  EXPECT_TRUE(find_all_replicas(from, catalog::encoded_proxy{}.view()).empty());
  EXPECT_TRUE(find_all_replicas(from, catalog::encoded_proxy::indirect({"obj", ""}, "alone").view()).empty());
  EXPECT_TRUE(find_all_replicas(from, catalog::encoded_proxy::indirect({"obj", ""}, "unknown").view()).empty());
  EXPECT_TRUE(find_all_replicas(from, catalog::encoded_proxy::indirect({"obj", ""}, "").view()).empty());
  EXPECT_TRUE(find_all_replicas(from, catalog::encoded_proxy::indirect({"Query", "T"}, "").view()).empty());
}

TEST(listing, of_objects_tells_proxy_type_and_application) {
  view_builder from;
  from.own(own_objects())
      .object(direct({"a", ""}, {1}), "::T")
      .application(application("app", "", nullptr, {{.adapter = "A", .objects = {described("d", "", "::D")}}}));
  const auto own = find_object_entry(from, {"Query", "T"});
  ASSERT_TRUE(own);
  EXPECT_EQ(own->type, "::IceGrid::Query");
  const auto deployed = find_object_entry(from, {"d", ""});
  ASSERT_TRUE(deployed);
  EXPECT_EQ(deployed->application, "app");
  EXPECT_EQ(copy(deployed->proxy), copy(catalog::encoded_proxy::indirect({"d", ""}, "A").content()));
  const auto unknown = find_object_entry(from, {"x", "c"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), (error{errc::not_found, "no object 'c/x' is registered"}));
}

TEST(listing, of_objects_has_what_the_pattern_matches) {
  view_builder from;
  from.own(own_objects()).object(direct({"a", "cat"}, {1}), "::T").object(direct({"b", ""}, {1}), "::T");
  EXPECT_EQ(identities(list_objects(from, pattern{"cat/*"})), std::vector<std::string>{"cat/a"});
  EXPECT_EQ(identities(list_objects(from, pattern{"b"})), std::vector<std::string>{"b"});
  const std::vector<std::string> all{"cat/a", "b", "T/Query", "T/Locator", "T/Registry", "T/LocatorRegistry"};
  auto listed = identities(list_objects(from, pattern{"*"}));
  EXPECT_EQ(listed, identities(list_objects(from, pattern{""})));
  EXPECT_EQ(listed, all);
  EXPECT_EQ(identities(list_objects_of_type(from, "::Ice::LocatorRegistry")),
            std::vector<std::string>{"T/LocatorRegistry"});
}

TEST(listing, of_objects_holds_the_pattern_against_the_text_that_ice_writes) {
  const std::vector<catalog::identity_view> ids{{"a/b", "c"}, {"a b", "c d"},    {"\"q\"", ""}, {"it's", "x"},
                                                {"\\", ""},   {"\xc3\xa4", "u"}, {"tab\t", ""}, {"n", "a/b"}};
  view_builder from;
  for (const auto& id : ids) from.object(direct(id, {1}), "::T");
  for (const auto& id : ids) {
    const std::string text = catalog::to_text(id);
    EXPECT_EQ(identities(list_objects(from, pattern{text})), std::vector<std::string>{text});
  }
}

TEST(listing, of_adapters_tells_members_of_groups_and_null_for_what_does_not_run) {
  view_builder from;
  from.adapter("dyn", "DG", dummy({1}))
      .application(application("app", "G", policy<IceGrid::RandomLoadBalancingPolicy>("1"),
                               {{.adapter = "m1", .group = "G"}, {.adapter = "m2", .group = "G"}}))
      .active("m2", dummy({2}));
  const auto group = find_adapter_entries(from, "G");
  ASSERT_TRUE(group);
  ASSERT_EQ(group->size(), 2U);
  EXPECT_EQ((*group)[0].id, "m1");
  EXPECT_EQ(copy((*group)[0].proxy), (bytes{0, 0}));
  EXPECT_EQ((*group)[0].replica_group, "G");
  EXPECT_EQ(copy((*group)[1].proxy), copy(dummy({2}).content()));
  EXPECT_EQ(find_adapter_entries(from, "DG")->at(0).id, "dyn");
  EXPECT_EQ(find_adapter_entries(from, "dyn")->at(0).replica_group, "DG");
  EXPECT_EQ(find_adapter_entries(from, "m1")->size(), 1U);
  EXPECT_EQ(find_adapter_entries(from, "none").error(),
            (error{errc::not_found, "no adapter and no replica group 'none' is registered"}));
  EXPECT_EQ(find_adapter_entries(from, "").error().code, errc::not_found);
  EXPECT_EQ(list_adapter_ids(from), (std::vector<std::string_view>{"G", "m1", "m2", "dyn", "DG"}));
}

TEST(listing, of_a_deployed_group_without_members_is_empty_and_no_error) {
  view_builder from;
  from.application(application("app", "G", policy<IceGrid::RandomLoadBalancingPolicy>("1"), {}));
  const auto group = find_adapter_entries(from, "G");
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->empty());
}

}  // namespace
}  // namespace muster::locator

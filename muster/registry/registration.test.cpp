#include "muster/registry/registration.hpp"

#include <gtest/gtest.h>

#include "muster/catalog/apply.hpp"
#include "muster/catalog/change.hpp"

namespace {

using muster::catalog::encoded_proxy;
using muster::catalog::set_adapter;
using muster::catalog::state;
using muster::registry::adapter_registration;
using muster::registry::may_register;
using muster::registry::registration_failure;

encoded_proxy some_proxy() { return encoded_proxy::indirect({.name = "dummy", .category = ""}, ""); }

adapter_registration of(std::string id, std::string group = {}) {
  return {std::move(id), std::move(group), some_proxy()};
}

state with_adapter(std::string id, std::string group = {}) {
  state made;
  std::vector<muster::catalog::row> rows;
  EXPECT_TRUE(muster::catalog::apply(made, set_adapter{std::move(id), std::move(group), some_proxy()}, 1, rows));
  return made;
}

TEST(registration, a_new_adapter_is_welcome_while_dynamic_registration_is_on) {
  EXPECT_TRUE(may_register(state{}, of("hello"), true));
}

TEST(registration, a_new_adapter_is_unknown_while_dynamic_registration_is_off_and_the_reason_names_the_property) {
  const auto outcome = may_register(state{}, of("hello"), false);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().why, registration_failure::adapter_unknown);
  EXPECT_NE(outcome.error().reason.find("IceGrid.Registry.DynamicRegistration"), std::string::npos);
}

TEST(registration, an_adapter_known_from_before_may_go_on_when_dynamic_registration_is_switched_off) {
  EXPECT_TRUE(may_register(with_adapter("hello"), of("hello"), false));
}

TEST(registration, an_empty_id_is_refused) {
  const auto outcome = may_register(state{}, of(""), true);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().why, registration_failure::adapter_unknown);
}

TEST(registration, the_id_of_a_replica_group_is_no_adapter_and_the_reverse) {
  const auto as_group = may_register(with_adapter("member", "group"), of("group"), true);
  ASSERT_FALSE(as_group);
  EXPECT_EQ(as_group.error().why, registration_failure::adapter_unknown);

  const auto in_adapter = may_register(with_adapter("hello"), of("other", "hello"), true);
  ASSERT_FALSE(in_adapter);
  EXPECT_EQ(in_adapter.error().why, registration_failure::replica_group_invalid);

  const auto in_itself = may_register(state{}, of("self", "self"), true);
  ASSERT_FALSE(in_itself);
  EXPECT_EQ(in_itself.error().why, registration_failure::replica_group_invalid);
}

TEST(registration, what_a_full_disk_refused_was_not_done_and_what_an_io_error_broke_may_have_been) {
  using muster::errc;
  EXPECT_EQ(to_refusal({errc::storage_full, "full"}, of("a")).why, registration_failure::unavailable);
  EXPECT_EQ(to_refusal({errc::io_error, "broken"}, of("a")).why, registration_failure::outcome_unknown);
  EXPECT_EQ(to_refusal({errc::conflict, "deployed"}, of("a", "g")).why, registration_failure::replica_group_invalid);
}

}  // namespace

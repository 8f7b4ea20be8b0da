// Nodes of two builds of one program in one cluster: the later build has added a member to the messages of a service.

#include "muster/receptionist/test_receptionists.hpp"

namespace muster::receptionist::testing {
namespace {

namespace earlier {

struct order {
  static constexpr std::string_view message_name = "test.rolling.order";
  std::string customer;
};

}  // namespace earlier

namespace later {

struct order {
  static constexpr std::string_view message_name = "test.rolling.order";
  std::string customer;
  std::string currency{"EUR"};
};

}  // namespace later

}  // namespace
}  // namespace muster::receptionist::testing

/// One process has one table of the messages that it reads. Here it is that of the later build; the node of the earlier
/// one is given its own by hand.
template <>
struct muster::message::known<muster::receptionist::testing::earlier::order> {
  static inline const bool is_known = true;
};

namespace muster::receptionist::testing {
namespace {

const service_key<earlier::order> earlier_key{"orders"};
const service_key<later::order> later_key{"orders"};

class rolling_upgrade : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto of_the_later = r_.c.codecs;
    const auto of_the_earlier = std::make_shared<cluster::inbound_codecs>();
    of_the_earlier->add(message_name<earlier::order>, &muster::message::deliver<earlier::order>);
    r_.c.codecs = of_the_earlier;
    r_.start("A");
    r_.c.codecs = of_the_later;
    r_.start("B", {"A"});
    EXPECT_TRUE(r_.c.run_until([&] { return r_.c.all_met(); }, seconds{20}));
    old_ = std::make_unique<probe<earlier::order>>(r_.c.system("A"), spawn_options{.name = "old"});
    new_ = std::make_unique<probe<later::order>>(r_.c.system("B"), spawn_options{.name = "new"});
    r_.at("A").tell(register_{earlier_key, old_->ref()});
    r_.at("B").tell(register_{later_key, new_->ref()});
    EXPECT_TRUE(r_.c.run_until([&] { return on_a().size() == 2 && on_b().size() == 2; }, seconds{2}));
  }
  ref_list<earlier::order> on_a() { return r_.at("A").lookup(earlier_key).refs; }
  ref_list<later::order> on_b() { return r_.at("B").lookup(later_key).refs; }

  receptionists r_;
  std::unique_ptr<probe<earlier::order>> old_;
  std::unique_ptr<probe<later::order>> new_;
};

TEST_F(rolling_upgrade, leaves_one_service_of_which_both_builds_see_all) {
  EXPECT_EQ(shown(on_a()), (paths{"/user/old", "B/user/new"}));
  EXPECT_EQ(shown(on_b()), (paths{"A/user/old", "/user/new"}));
  for (const std::string name : {"A", "B"}) {
    EXPECT_EQ(r_.at(name).counters().mismatched_types, 0U) << name;
    EXPECT_TRUE(r_.c.at(name).log.values("service_type_differs", "key").empty()) << name;
  }
}

TEST_F(rolling_upgrade, has_each_build_understand_the_other) {
  ASSERT_EQ(on_a().size(), 2U);
  ASSERT_EQ(on_b().size(), 2U);
  for (const auto& to : on_a()) to.tell(earlier::order{"ann"});
  for (const auto& to : on_b()) to.tell(later::order{"bob", "USD"});
  EXPECT_TRUE(r_.c.run_until([&] { return old_->messages().size() == 2 && new_->messages().size() == 2; }, seconds{1}));
  EXPECT_EQ(old_->messages()[0].customer + old_->messages()[1].customer, "annbob");
  for (const auto& got : new_->messages()) {
    EXPECT_EQ(got.currency, got.customer == "ann" ? "EUR" : "USD") << "what was added is as a new value has it";
  }
}

}  // namespace
}  // namespace muster::receptionist::testing

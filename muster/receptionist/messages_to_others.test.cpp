// What a key brings with it: its messages can be read here and sent there.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "muster/message/test_content.hpp"
#include "muster/receptionist/test_receptionist.hpp"

namespace muster::receptionist::testing {
namespace {

struct wish {
  static constexpr std::string_view message_name = "test.wish";
  std::string what;
};
struct complaint {
  static constexpr std::string_view message_name = "test.complaint";
  service_key<wish> about;
  any_key instead;
};
struct local_wish {
  static constexpr std::string_view message_name = "test.local_wish";
  const int* what{nullptr};
};
using post = std::variant<wish, complaint>;

/// That it is never called makes no difference.
[[maybe_unused]] bool never_called() { return service_key<post>{"post"}.id().empty(); }

class kept_route final : public remote_route {
 public:
  result<void> tell(const actor_address& to, const outbound_message& what) override {
    byte_writer into;
    what.write(into);
    sent.push_back(fmt::format("{} {} {}", to, what.name(), muster::message::testing::hex(std::move(into).take())));
    return {};
  }
  void watch(const death_watch&) override {}
  void unwatch(const death_watch&) override {}
  void stop(const actor_address&, stop_when) override {}

  std::vector<std::string> sent;
};

class message_by_key : public ::testing::Test {
 protected:
  template <typename T>
  actor_ref<T> found(const service_key<T>& key) {
    cluster_->tell(key.id(), "n2", "/user/x", false, message_name<T>);
    t_.run();
    return receptionist_.lookup(key).refs[0];
  }

  test_system t_;
  std::shared_ptr<told_directory> cluster_{std::make_shared<told_directory>()};
  handle receptionist_{start(t_.system, cluster_)};
  std::shared_ptr<kept_route> route_{std::make_shared<kept_route>()};

  void SetUp() override {
    t_.system.set_route(route_);
    t_.run();
  }
};

TEST_F(message_by_key, can_be_read_here_since_the_program_was_loaded) {
  EXPECT_NE(muster::message::find_inbound("test.wish"), nullptr);
  EXPECT_NE(muster::message::find_inbound("test.complaint"), nullptr) << "each alternative of a variant";
  EXPECT_NE(muster::message::find_inbound("test.api"), nullptr);
  EXPECT_EQ(muster::message::find_inbound("test.local_wish"), nullptr);
}

TEST_F(message_by_key, goes_to_actors_of_other_nodes_by_its_members) {
  found(service_key<wish>{"wishes"}).tell({"tea"});
  EXPECT_EQ(route_->sent, std::vector<std::string>{"n2/user/x#5 test.wish 01 04 03 74 65 61"});
}

TEST_F(message_by_key, that_cannot_be_written_is_a_dead_letter_that_says_so) {
  const auto there = found(service_key<local_wish>{"local"});
  there.tell({});
  EXPECT_TRUE(route_->sent.empty());
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unsendable), 1U);
  EXPECT_EQ(there.try_tell({}).error().code, errc::unsupported);
}

TEST_F(message_by_key, may_hold_keys) {
  const auto read = muster::message::testing::message_of<complaint>(
      muster::message::testing::content_of(complaint{service_key<wish>{"wishes"}, any_key{"tea"}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->about.id(), "wishes");
  EXPECT_EQ(read->instead, any_key{"tea"});
}

}  // namespace
}  // namespace muster::receptionist::testing

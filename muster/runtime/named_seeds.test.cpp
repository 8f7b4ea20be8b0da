#include "muster/runtime/named_seeds.hpp"

#include <gtest/gtest.h>

#include "tests/support/event_recorder.hpp"

namespace muster::cluster {
namespace {

/// Keeps what is sent.
class paper_trail final : public transport {
 public:
  result<std::string> start(std::shared_ptr<transport_receiver>) override { return address; }
  void stop() override { ++stops; }
  send_outcome send(const std::string& to, channel, const shared_frame& frame) override {
    sent.emplace_back(to, std::string{frame->begin(), frame->end()});
    return send_outcome::accepted;
  }
  bool has_room(const std::string&, channel, std::size_t) const override { return true; }

  std::string address{"tcp -h 10.0.0.1 -p 4070"};
  std::vector<std::pair<std::string, std::string>> sent;
  int stops{0};
};

class named_seeds_test : public ::testing::Test {
 protected:
  void start() { ASSERT_TRUE(seeds_->start(nullptr)); }
  void send(const std::string& to, const std::string& text) {
    EXPECT_EQ(seeds_->send(to, channel::gossip, std::make_shared<const bytes>(text.begin(), text.end())),
              send_outcome::accepted);
  }
  /// Answers the lookup that was made first.
  void find(result<std::vector<std::string>> addresses) {
    ASSERT_FALSE(asked_.empty());
    const auto [host, then] = std::move(asked_.front());
    asked_.erase(asked_.begin());
    then(std::move(addresses));
  }

  using letters = std::vector<std::pair<std::string, std::string>>;
  const std::string name_{"tcp -h seeds.example -p 4070"};
  const std::shared_ptr<tests::event_recorder> log_ = std::make_shared<tests::event_recorder>();
  const std::shared_ptr<paper_trail> trail_ = std::make_shared<paper_trail>();
  std::vector<std::pair<std::string, named_seeds::found>> asked_;
  const std::shared_ptr<named_seeds> seeds_ = std::make_shared<named_seeds>(
      log_, trail_, std::vector<seed_name>{{name_, "tcp", "seeds.example", "4070"}},
      [this](const std::string& host, named_seeds::found then) { asked_.emplace_back(host, std::move(then)); });
};

TEST_F(named_seeds_test, send_to_all_addresses_of_a_name_but_this_nodes_own) {
  start();
  send(name_, "hello");
  EXPECT_TRUE(trail_->sent.empty());
  find(std::vector<std::string>{"10.0.0.1", "10.0.0.2", "::7"});
  EXPECT_EQ(trail_->sent, (letters{{"tcp -h 10.0.0.2 -p 4070", "hello"}, {"tcp -h \"::7\" -p 4070", "hello"}}));
}

TEST_F(named_seeds_test, look_a_name_up_anew_each_time_and_once_at_a_time) {
  start();
  send(name_, "one");
  send(name_, "two");
  EXPECT_EQ(asked_.size(), 1U);
  find(std::vector<std::string>{"10.0.0.2"});
  EXPECT_EQ(trail_->sent.size(), 2U);
  send(name_, "three");
  find(std::vector<std::string>{"10.0.0.3"});
  EXPECT_EQ(trail_->sent.back(), (std::pair<std::string, std::string>{"tcp -h 10.0.0.3 -p 4070", "three"}));
}

TEST_F(named_seeds_test, complain_once_of_a_name_that_is_unknown) {
  start();
  for (int i = 0; i < 3; ++i) {
    send(name_, "hello");
    find(fail(errc::not_found, "no such host"));
  }
  EXPECT_EQ(log_->lines(), (std::vector<std::string>{"seed_not_found seed=" + name_ + " why=no such host"}));
  EXPECT_TRUE(trail_->sent.empty());
  send(name_, "hello");
  find(std::vector<std::string>{"10.0.0.2"});
  send(name_, "hello");
  find(fail(errc::not_found, "no such host"));
  EXPECT_EQ(log_->lines().size(), 2U);
}

TEST_F(named_seeds_test, leave_alone_what_is_no_name_and_who_is_a_member_by_that_name) {
  start();
  send("tcp -h 10.0.0.9 -p 4070", "x");
  seeds_->expect(name_, "a");
  send(name_, "y");
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(trail_->sent, (letters{{"tcp -h 10.0.0.9 -p 4070", "x"}, {name_, "y"}}));
  seeds_->expect(name_, "");
  send(name_, "z");
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(named_seeds_test, leave_out_this_node_also_when_it_is_published_by_a_name) {
  trail_->address = "tcp -h me.example -p 4070";
  start();
  find(std::vector<std::string>{"10.0.0.5"});
  send(name_, "hello");
  find(std::vector<std::string>{"10.0.0.5", "10.0.0.6"});
  EXPECT_EQ(trail_->sent, (letters{{"tcp -h 10.0.0.6 -p 4070", "hello"}}));
}

TEST_F(named_seeds_test, send_nothing_more_after_the_end) {
  start();
  send(name_, "hello");
  seeds_->stop();
  find(std::vector<std::string>{"10.0.0.2"});
  send(name_, "hello");
  EXPECT_TRUE(trail_->sent.empty());
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(trail_->stops, 1);
}

}  // namespace
}  // namespace muster::cluster

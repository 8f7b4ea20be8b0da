// Actors of two systems that are nodes of one cluster: nothing is listed, what is told arrives.

#include <MusterTest/parts.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>

#include "muster/actor/test_system.hpp"
#include "muster/cluster/node.hpp"
#include "muster/cluster/node_core.hpp"
#include "muster/cluster/test_transport.hpp"
#include "muster/message/inbound.hpp"
#include "muster/message/remote_actor.hpp"

namespace muster::message::testing {
namespace {

using namespace std::chrono_literals;
using muster::testing::kept_log;
using muster::testing::manual_executor;
using muster::testing::probe;

struct credit {
  static constexpr std::string_view message_name = "across.credit";
  std::int32_t amount{0};
};
struct query {
  static constexpr std::string_view message_name = "across.query";
  actor_ref<std::int32_t> reply_to;
};
using account_message = std::variant<credit, query>;

struct parcel {
  static constexpr std::string_view message_name = "across.parcel";
  std::string label;
  actor_ref<credit> whom;
  any_ref sender;
  actor_ref<parcel> back;
};
struct choice {
  static constexpr std::string_view message_name = "across.choice";
  actor_ref<std::variant<std::int32_t, std::string>> reply_to;
};
struct unsendable {
  int x{0};
};

/// Another program's idea of a message of that name.
struct forged {
  static constexpr std::string_view message_name = "across.credit";
  std::string text;
};
struct forged_query {
  static constexpr std::string_view message_name = "across.query";
  actor_ref<std::string> reply_to;
};
struct unheard_of {
  static constexpr std::string_view message_name = "across.unheard_of";
};

struct furnished {
  static constexpr std::string_view message_name = "across.furnished";
  std::shared_ptr<MusterTest::Room> room;
};

/// Has no communicator to make them by.
class counting_streams final : public ice_streams {
 public:
  [[nodiscard]] std::unique_ptr<Ice::InputStream> over(byte_view) const override {
    ++asked;
    return nullptr;
  }
  mutable int asked{0};
};

/// What a service key does; that it is never called makes no difference.
[[maybe_unused]] void never_called() {
  learn<account_message>();
  learn<parcel>();
  learn<choice>();
  learn<furnished>();
}

class two_nodes : public ::testing::Test {
 protected:
  struct process {
    process(const std::string& name, two_nodes& in)
        : system{name, {.runs_on = in.executor_, .log = &log, .shutdown_timeout = 10s}} {
      cluster::options how;
      how.name = name;
      how.cluster = "shop";
      how.seeds = {"at-a"};
      node = cluster::join(system, how,
                           {.over = in.network_.make_transport("at-" + name, name),
                            .codecs = inbound_messages(in.streams_),
                            .wall_clock_ms = 1'000'000,
                            .seed = 5});
    }
    [[nodiscard]] std::uint64_t dead(dead_letter_reason why) { return system.dead_letters().count(why); }

    kept_log log;
    actor_system system;
    std::shared_ptr<cluster::node> node;
  };

  two_nodes() {
    EXPECT_TRUE(
        run_until([&] { return a_.node->members()->members.size() == 2 && b_.node->members()->members.size() == 2; }));
  }

  bool run_until(const std::function<bool()>& done) { return executor_->run_until(done, executor_->now() + 20s); }
  template <typename T>
  bool comes(std::future<T>& what) {
    return run_until([&] { return what.wait_for(0s) == std::future_status::ready; });
  }
  /// The ref that A has of an actor on B.
  template <typename M>
  actor_ref<M> far(const any_ref& on_b) {
    return remote_ref_of<M>(a_.system.core(), on_b.address());
  }
  actor_ref<account_message> start_account() {
    return b_.system.spawn<account_message>("account", [this](const account_message& message) {
      if (const auto* more = std::get_if<credit>(&message)) balance_ += more->amount;
      if (const auto* question = std::get_if<query>(&message)) question->reply_to.tell(balance_);
    });
  }

  std::shared_ptr<counting_streams> streams_{std::make_shared<counting_streams>()};
  std::shared_ptr<manual_executor> executor_{std::make_shared<manual_executor>(3)};
  cluster::testing::memory_network network_{executor_, 3};
  process a_{"a", *this};
  process b_{"b", *this};
  std::int32_t balance_{0};
};

TEST_F(two_nodes, ask_each_other) {
  const auto account = far<account_message>(start_account());
  account.tell(credit{30});
  const actor_ref<credit> payments = account;
  payments.tell(credit{12});
  auto answer = a_.system.ask<std::int32_t>(
      account, [](auto reply_to) { return query{reply_to}; }, 5s);
  ASSERT_TRUE(comes(answer));
  EXPECT_EQ(answer.get(), result<std::int32_t>{42});
}

TEST_F(two_nodes, answer_with_one_of_several_messages) {
  const auto chooser =
      b_.system.spawn<choice>("chooser", [](const choice& what) { what.reply_to.tell(std::string{"both"}); });
  using answer = std::variant<std::int32_t, std::string>;
  auto got = a_.system.ask<answer>(
      far<choice>(chooser), [](auto reply_to) { return choice{reply_to}; }, 5s);
  ASSERT_TRUE(comes(got));
  EXPECT_EQ(got.get(), result<answer>{std::string{"both"}});
}

TEST_F(two_nodes, send_refs_that_can_be_told_watched_and_compared) {
  probe<parcel> receiver{b_.system, {.name = "receiver"}};
  probe<credit> payee{a_.system, {.name = "payee"}};
  probe<parcel> sender{a_.system, {.name = "sender"}};
  far<parcel>(receiver.ref()).tell({"x", payee.ref(), sender.ref(), far<parcel>(receiver.ref())});
  ASSERT_TRUE(run_until([&] { return !receiver.messages().empty(); }));
  const parcel got = receiver.messages().front();
  EXPECT_EQ(got.label, "x");
  EXPECT_EQ(got.whom.address(), payee.ref().address());
  EXPECT_TRUE(got.whom.is_remote());
  EXPECT_EQ(got.sender.address(), sender.ref().address());
  EXPECT_EQ(got.back, receiver.ref()) << "a ref that comes home is that of the actor itself";
  EXPECT_FALSE(got.back.is_remote());
  got.whom.tell({7});
  EXPECT_TRUE(run_until([&] { return !payee.messages().empty(); }));
  EXPECT_EQ(payee.messages().front().amount, 7);

  const auto ended = std::make_shared<bool>(false);
  b_.system
      .spawn<std::variant<int, terminated>>(
          "w",
          [whom = got.sender, ended](auto& self, const std::variant<int, terminated>& message) {
            if (message.index() == 0) self.watch(whom);
            *ended = message.index() == 1;
          })
      .tell(0);
  executor_->run();
  a_.system.stop(sender.ref());
  EXPECT_TRUE(run_until([&] { return *ended; }));
}

TEST_F(two_nodes, send_null_refs_as_such) {
  probe<parcel> receiver{b_.system, {.name = "receiver"}};
  far<parcel>(receiver.ref()).tell({"nobody", {}, {}, {}});
  ASSERT_TRUE(run_until([&] { return !receiver.messages().empty(); }));
  EXPECT_FALSE(receiver.messages().front().whom);
  EXPECT_FALSE(receiver.messages().front().sender);
}

TEST_F(two_nodes, keep_what_cannot_leave_a_process) {
  probe<std::variant<credit, unsendable>> receiver{b_.system, {.name = "receiver"}};
  const auto there = far<std::variant<credit, unsendable>>(receiver.ref());
  there.tell(unsendable{});
  EXPECT_EQ(a_.dead(dead_letter_reason::unsendable), 1U);
  const auto refused = there.try_tell(unsendable{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::unsupported);
  EXPECT_NE(refused.error().message.find("message_name"), std::string::npos) << refused.error().message;
  there.tell(credit{1});
  EXPECT_TRUE(run_until([&] { return receiver.messages().size() == 1; })) << "another alternative may";
}

TEST_F(two_nodes, drop_what_is_malformed_and_say_so_to_the_sender) {
  const auto account = start_account();
  far<forged>(account).tell({""});  // too short for an amount
  ASSERT_TRUE(run_until([&] { return a_.dead(dead_letter_reason::unhandled) == 1; }));
  far<unheard_of>(account).tell({});
  ASSERT_TRUE(run_until([&] { return a_.dead(dead_letter_reason::unhandled) == 2; }));
  far<parcel>(account).tell({});
  ASSERT_TRUE(run_until([&] { return a_.dead(dead_letter_reason::unhandled) == 3; })) << "known, but not to this actor";
  std::uint64_t undelivered = 0;
  b_.node->inspect([&](const cluster::node_core& core) { undelivered = core.actors().counted().undelivered; });
  executor_->run();
  EXPECT_EQ(undelivered, 3U);
  account.tell(credit{5});
  executor_->run();
  EXPECT_EQ(balance_, 5) << "nobody was taken down";
}

TEST_F(two_nodes, read_instances_of_classes_by_the_streams_that_they_were_given) {
  probe<furnished> receiver{b_.system, {.name = "receiver"}};
  far<furnished>(receiver.ref()).tell({std::make_shared<MusterTest::Room>()});
  ASSERT_TRUE(run_until([&] { return a_.dead(dead_letter_reason::unhandled) == 1; })) << "nor was there one to be had";
  EXPECT_EQ(streams_->asked, 1);
  EXPECT_TRUE(receiver.messages().empty());
}

TEST_F(two_nodes, take_no_ref_for_what_its_actor_does_not_take) {
  const auto account = start_account();
  // The receiver's own actor, said to take what it does not.
  far<forged_query>(account).tell({far<std::string>(account)});
  EXPECT_TRUE(run_until([&] { return a_.dead(dead_letter_reason::unhandled) == 1; }));
}

TEST(inbound_messages_of_a_process, are_known_before_anything_is_called) {
  for (const auto* const name : {"across.credit", "across.query", "across.parcel", "across.choice", "int", "string"}) {
    EXPECT_NE(find_inbound(name), nullptr) << name;
  }
  EXPECT_EQ(find_inbound("across.unheard_of"), nullptr);
}

TEST(inbound_messages_of_a_process, of_two_types_with_one_name_end_it_at_once) {
  EXPECT_DEATH(add_inbound({message_name<forged>, actor_kernel::compiler_name<forged>(), &hand_over<forged>}),
               "two types of messages have the name 'across.credit'.*credit.*forged");
}

}  // namespace
}  // namespace muster::message::testing

// What is taken from whom: the closed list of what a stranger may send, and what becomes of everything else.
#include <gtest/gtest.h>

#include "muster/membership/message_codec.hpp"
#include "muster/membership/test_network.hpp"

namespace muster::membership::testing {
namespace {

class strangers : public ::testing::Test {
 protected:
  strangers() {
    net.start_all({"a", "b", "c"});
    net.run(seconds{5});
  }

  bytes from_nobody(body what, incarnation to = incarnation{0}) {
    return encode(
        {.from = {.name = "nobody", .incarnation = incarnation{77}, .to = to}, .what = std::move(what), .news = {}});
  }
  incarnation life_of(const std::string& name) { return net.at(name).last_incarnation; }
  counters counted() { return net.at("a").core->status().counters; }
  introduction of_nobody(std::string_view cluster = "shop") {
    return {.cluster = cluster, .versions = supported_versions, .address = "at-nobody", .meta = {}, .counter = 0};
  }

  network net;
};

TEST_F(strangers, may_not_ping_gossip_or_ask_for_probes) {
  const auto sent = counted().messages_sent;
  const auto before = net.view("a");
  net.inject("a", from_nobody(ping{1}, life_of("a")));
  net.inject("a", from_nobody(ack{1}, life_of("a")));
  net.inject("a", from_nobody(ping_request{1, "b", life_of("b")}, life_of("a")));
  net.inject("a", from_nobody(nack{1, true}, life_of("a")));
  net.inject(
      "a",
      encode(
          {.from = {.name = "nobody", .incarnation = incarnation{77}, .to = life_of("a")},
           .what = gossip{},
           .news = {{.standing = standing::removed, .name = "b", .incarnation = life_of("b"), .remembered_s = 100}}}));
  EXPECT_EQ(counted().from_strangers, 5U);
  EXPECT_EQ(counted().messages_sent, sent) << "nothing is answered";
  EXPECT_EQ(net.view("a"), before) << "and nothing is believed";
}

TEST_F(strangers, may_not_bring_a_table_or_a_digest_that_nobody_asked_for) {
  const auto before = net.view("a");
  records part{.sequence = 1, .who = of_nobody(), .table = {}};
  part.table.push_back({.standing = standing::removed, .name = "b", .incarnation = life_of("b"), .remembered_s = 100});
  net.inject("a", from_nobody(part, life_of("a")));
  net.inject("a", from_nobody(digest{1, of_nobody(), {1}}, life_of("a")));
  EXPECT_EQ(counted().from_strangers, 2U);
  EXPECT_EQ(net.view("a"), before);
}

TEST_F(strangers, become_members_by_a_hello_with_the_clusters_name_only) {
  net.inject("a", from_nobody(hello{hello_purpose::introduce, 1, of_nobody("bank"), 0}));
  EXPECT_FALSE(net.at("a").core->find("nobody"));
  EXPECT_EQ(counted().other_cluster, 1U);
  net.inject("a", from_nobody(hello{hello_purpose::introduce, 1, of_nobody(), 0}));
  EXPECT_TRUE(net.at("a").core->find("nobody"));
}

TEST_F(strangers, of_no_common_version_are_refused_by_name_of_the_versions) {
  std::vector<outgoing> sent;
  net.on_send = [&](const auto&, const outgoing& what) { sent.push_back(what); };
  introduction later = of_nobody();
  later.versions = {.min = 2, .max = 3};
  net.inject("a", from_nobody(hello{hello_purpose::join, 5, later, 0}));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].destination(), "at-nobody");
  const auto answer = decode(sent[0].content);
  ASSERT_TRUE(answer);
  ASSERT_TRUE(std::holds_alternative<refused>(answer->what));
  EXPECT_EQ(std::get<refused>(answer->what).reason, refusal::no_common_version);
  EXPECT_FALSE(net.at("a").core->find("nobody"));
}

TEST_F(strangers, that_speak_for_a_member_are_counted_and_dropped) {
  const bytes forged = encode(
      {.from = {.name = "b", .incarnation = life_of("b"), .to = life_of("a")},
       .what = gossip{},
       .news = {{.standing = standing::removed, .name = "c", .incarnation = life_of("c"), .remembered_s = 100}}});
  net.inject("a", forged, "mallory");
  EXPECT_EQ(counted().impersonated, 1U);
  EXPECT_TRUE(net.at("a").core->find("c"));
}

TEST_F(strangers, do_no_harm_with_bytes_that_are_no_message) {
  net.inject("a", bytes{});
  net.inject("a", bytes{1});
  net.inject("a", bytes(300, 0xff));
  EXPECT_EQ(counted().malformed, 3U);
  EXPECT_TRUE(net.agree());
}

TEST_F(strangers, a_message_for_an_earlier_process_at_this_address_is_not_answered) {
  const auto sent = counted().messages_sent;
  net.inject(
      "a",
      encode({.from = {.name = "b", .incarnation = life_of("b"), .to = incarnation{5}}, .what = ping{1}, .news = {}}));
  EXPECT_EQ(counted().misdirected, 1U);
  EXPECT_EQ(counted().messages_sent, sent);
}

TEST_F(strangers, a_removed_incarnation_is_told_so_and_not_listened_to) {
  net.pause("b");
  net.run(seconds{70});
  ASSERT_TRUE(net.at("a").core->is_removed("b", life_of("b")));
  std::vector<outgoing> sent;
  net.on_send = [&](const auto&, const outgoing& what) { sent.push_back(what); };
  const bytes late = encode(
      {.from = {.name = "b", .incarnation = life_of("b"), .to = life_of("a")},
       .what = ping{1},
       .news = {{.standing = standing::removed, .name = "c", .incarnation = life_of("c"), .remembered_s = 100}}});
  net.inject("a", late);
  EXPECT_TRUE(net.at("a").core->find("c"));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].destination(), "at-b");
  EXPECT_TRUE(std::holds_alternative<removed_notice>(decode(sent[0].content)->what));
  net.inject("a", late);
  EXPECT_EQ(sent.size(), 1U) << "but not for each of its messages";
}

TEST_F(strangers, a_member_that_is_told_of_its_removal_ends_with_where_to_come_back) {
  net.comes_back = false;
  net.inject(
      "a",
      encode(
          {.from = {.name = "b", .incarnation = life_of("b"), .to = life_of("a")},
           .what = gossip{},
           .news = {{.standing = standing::removed, .name = "a", .incarnation = life_of("a"), .remembered_s = 100}}}));
  EXPECT_FALSE(net.at("a").core);
  EXPECT_EQ(net.at("a").rejoins, 1U);
}

/// `b` says in this message that it suspects `a`.
void accuse(network& net, body what, std::uint32_t counter) {
  const incarnation accused = net.at("a").last_incarnation;
  const incarnation accuser = net.at("b").last_incarnation;
  net.inject("a", encode({.from = {.name = "b", .incarnation = accuser, .to = accused},
                          .what = std::move(what),
                          .news = {{.standing = standing::suspect,
                                    .name = "a",
                                    .incarnation = accused,
                                    .counter = counter,
                                    .accuser = accuser}}}));
}

TEST(refutation, answers_every_suspicion_with_a_higher_counter) {
  network net;
  net.start_all({"a", "b"});
  net.run(seconds{5});
  std::vector<std::uint32_t> told;
  net.on_send = [&](const auto& from, const outgoing& what) {
    if (from.name == "a") {
      const auto read = decode(what.content);
      for (const auto& one : read->news) {
        if (one.name == "a" && std::holds_alternative<ack>(read->what)) {
          told.push_back(one.counter);
        }
      }
    }
  };
  accuse(net, ping{1}, 0);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), 1U);
  accuse(net, ping{1}, 1);
  EXPECT_EQ(told.back(), 2U);
  accuse(net, ping{1}, 0);
  EXPECT_EQ(told.back(), 2U) << "an old suspicion is answered again, with what refuted it";
  EXPECT_EQ(net.at("a").core->status().counters.refutations, 2U);
  EXPECT_GT(net.at("a").core->status().awareness, 0U);
}

// It had been told to three of four; the last one, told of the suspicion by another, called it unreachable.
TEST(refutation, is_told_to_whoever_passes_an_old_suspicion_on) {
  network net;
  net.start_all({"a", "b", "c"});
  net.run(seconds{5});
  std::size_t defended = 0;
  net.on_send = [&](const auto& from, const outgoing& what) {
    if (from.name != "a" || what.to == nullptr || what.to->name != "b") return;
    const auto read = decode(what.content);
    for (const auto& one : read->news) {
      defended += one.name == "a" && one.standing == standing::alive ? 1U : 0U;
    }
  };
  accuse(net, gossip{}, 0);
  net.run(seconds{5});
  defended = 0;
  accuse(net, gossip{}, 0);
  EXPECT_EQ(defended, 1U);
  EXPECT_EQ(net.at("a").core->status().counters.refutations, 1U) << "the first one stands";
}

TEST(refutation, that_has_used_up_its_counter_comes_back_as_a_new_incarnation) {
  network net;
  net.comes_back = false;
  net.start_all({"a", "b"});
  net.run(seconds{5});
  net.inject(
      "a",
      encode({.from = {.name = "b", .incarnation = net.at("b").last_incarnation, .to = net.at("a").last_incarnation},
              .what = gossip{},
              .news = {{.standing = standing::suspect,
                        .name = "a",
                        .incarnation = net.at("a").last_incarnation,
                        .counter = 0xffffffffU,
                        .accuser = incarnation{1}}}}));
  EXPECT_EQ(net.at("a").rejoins, 1U);
}

}  // namespace
}  // namespace muster::membership::testing

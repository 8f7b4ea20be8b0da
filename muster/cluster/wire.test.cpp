#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "muster/cluster/actor_messages.hpp"
#include "muster/cluster/frame.hpp"
#include "muster/cluster/ordered_inbox.hpp"
#include "tests/support/golden.hpp"

namespace muster::cluster {
namespace {

TEST(frame, has_the_bytes_that_are_documented) {
  const bytes frame = encode_frame(
      {.about = channel::actors, .cluster = 0x0102030405060708U, .name = "A", .incarnation = 300}, bytes{0xAA});
  EXPECT_EQ(tests::as_hex(frame), tests::as_hex(tests::golden("frame-1").at("frame")));
  EXPECT_EQ(cluster_key("shop"), cluster_key("shop"));
  EXPECT_NE(cluster_key("shop"), cluster_key("market"));
}

TEST(frame, refuses_what_it_does_not_know) {
  const bytes good = encode_frame({.about = channel::gossip, .cluster = 7, .name = "A", .incarnation = 1}, {});
  EXPECT_TRUE(decode_frame(good));
  bytes other = good;
  other[0] = 2;
  EXPECT_EQ(decode_frame(other).error().code, errc::incompatible);
  other = good;
  other[1] = 3;
  EXPECT_EQ(decode_frame(other).error().code, errc::incompatible);
  other = good;
  other.back() = 0;
  EXPECT_EQ(decode_frame(other).error().code, errc::corrupt) << "incarnation 0 is nobody";
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    EXPECT_FALSE(decode_frame(byte_view{good}.first(cut))) << cut;
  }
  const bytes long_name =
      encode_frame({.about = channel::gossip, .cluster = 7, .name = std::string(129, 'x'), .incarnation = 1}, {});
  EXPECT_EQ(decode_frame(long_name).error().code, errc::corrupt);
}

RC_GTEST_PROP(frame, comes_back_as_it_was, ()) {
  const auto name =
      *rc::gen::suchThat<std::string>([](const std::string& one) { return !one.empty() && one.size() <= 128; });
  const auto payload = *rc::gen::arbitrary<bytes>();
  const auto incarnation = *rc::gen::nonZero<std::uint64_t>();
  const bytes frame =
      encode_frame({.about = channel::gossip, .cluster = 9, .name = name, .incarnation = incarnation}, payload);
  const auto back = decode_frame(frame);
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->header.name == name);
  RC_ASSERT(back->header.incarnation == incarnation);
  RC_ASSERT((bytes{back->payload.begin(), back->payload.end()}) == payload);
  RC_ASSERT(frame.size() - payload.size() <= frame_overhead_bytes_max);
}

RC_GTEST_PROP(frame, made_of_anything_is_read_or_refused, ()) {
  auto noise = *rc::gen::arbitrary<bytes>();
  if (!noise.empty()) noise[0] = 1;
  (void)decode_frame(noise);
  (void)decode_actor_envelope(noise);
}

const actor_key somebody{"/user/a", 5};

std::vector<actor_message> one_of_each() {
  return {tell{somebody, "m", {9}},   undelivered{somebody, "m", fate::full},
          watch{somebody, 1},         watching{somebody, 2},
          watch_refused{somebody, 3}, unwatch{somebody, 4},
          unwatched{somebody, 5},     ended{somebody, 6},
          ended_heard{somebody, 300}, stop_request{somebody, stop_when::now}};
}

TEST(actors_golden_file, holds_every_kind_of_message) {
  const std::vector<std::string> kinds{"tell",    "undelivered", "watch", "watching",    "watch_refused",
                                       "unwatch", "unwatched",   "ended", "ended_heard", "stop_request"};
  const auto all = one_of_each();
  ASSERT_EQ(all.size(), std::variant_size_v<actor_message>);
  ASSERT_EQ(all.size(), kinds.size());
  std::map<std::string, actor_envelope> named;
  for (std::size_t i = 0; i < all.size(); ++i)
    named.emplace(kinds[i], actor_envelope{.to = 3, .sequence = 4, .what = all[i]});
  tests::expect_golden(
      "actors-1", named, [](const actor_envelope& one) { return encode(one); },
      [](const bytes& content) { return decode_actor_envelope(content); });
}

TEST(actor_message, comes_back_as_it_was_and_never_in_part) {
  for (const auto& one : one_of_each()) {
    const actor_envelope whole{.to = 1U << 30U, .sequence = 77, .what = one};
    const bytes encoded = encode(whole);
    EXPECT_EQ(decode_actor_envelope(encoded), whole);
    for (std::size_t cut = 0; cut < encoded.size(); ++cut) {
      EXPECT_FALSE(decode_actor_envelope(byte_view{encoded}.first(cut)));
    }
    bytes more = encoded;
    more.push_back(0);
    EXPECT_FALSE(decode_actor_envelope(more));
  }
}

TEST(actor_message, refuses_what_is_beyond_its_bounds) {
  const auto refused = [](const actor_message& what, std::uint64_t sequence = 1) {
    return !decode_actor_envelope(encode({.to = 1, .sequence = sequence, .what = what}));
  };
  EXPECT_TRUE(refused(watch{{std::string(path_bytes_max + 1, 'p'), 1}, 1}));
  EXPECT_TRUE(refused(tell{somebody, std::string(message_name_bytes_max + 1, 'n'), {}}));
  EXPECT_TRUE(refused(undelivered{somebody, "m", static_cast<fate>(4)}));
  EXPECT_TRUE(refused(stop_request{somebody, static_cast<stop_when>(2)}));
  EXPECT_TRUE(refused(watch{somebody, 1}, 0)) << "the first number is 1";
  EXPECT_FALSE(refused(watch{somebody, 1}));
}

// --- order ---

class ordered : public ::testing::Test {
 protected:
  void take(std::uint64_t sequence, std::size_t size = 10) {
    inbox_.take(sequence, watch{{"/user/x", sequence}, 1}, size, now_, out_);
  }
  void pass(duration time) {
    now_ += time;
    inbox_.handle_tick(now_, out_);
  }
  [[nodiscard]] std::vector<std::uint64_t> order() const {
    std::vector<std::uint64_t> numbers;
    for (const auto& one : out_) numbers.push_back(std::get<watch>(one).whom.incarnation);
    return numbers;
  }

  options how_;
  ordered_inbox inbox_{how_};
  std::vector<actor_message> out_;
  instant now_{};
};

using numbers = std::vector<std::uint64_t>;

TEST_F(ordered, what_overtook_waits_for_what_was_overtaken) {
  take(2);
  take(3);
  EXPECT_TRUE(out_.empty());
  EXPECT_EQ(inbox_.next_deadline(), now_ + how_.gap_timeout);
  take(1);
  EXPECT_EQ(order(), (numbers{1, 2, 3}));
  EXPECT_EQ(inbox_.next_deadline(), instant_never);
}

TEST_F(ordered, what_comes_twice_is_handed_out_once) {
  take(1);
  take(1);
  take(3);
  take(3);
  take(2);
  take(2);
  EXPECT_EQ(order(), (numbers{1, 2, 3}));
  EXPECT_EQ(inbox_.counted().doubled, 3U);
}

TEST_F(ordered, what_does_not_come_is_given_up_after_a_while_and_dropped_when_it_comes_after_all) {
  take(2);
  pass(how_.gap_timeout - std::chrono::milliseconds{1});
  EXPECT_TRUE(out_.empty());
  pass(std::chrono::milliseconds{1});
  take(1);
  take(3);
  EXPECT_EQ(order(), (numbers{2, 3}));
  EXPECT_EQ(inbox_.counted().given_up, 1U);
}

TEST_F(ordered, each_gap_has_its_own_time) {
  take(2);
  pass(how_.gap_timeout / 2);
  take(4);
  pass(how_.gap_timeout / 2);
  EXPECT_EQ(order(), (numbers{2}));
  EXPECT_EQ(inbox_.next_deadline(), now_ + how_.gap_timeout / 2);
  pass(how_.gap_timeout / 2);
  EXPECT_EQ(order(), (numbers{2, 4}));
}

TEST_F(ordered, too_much_that_waits_ends_the_waiting) {
  how_.gap_frames_max = 3;
  for (std::uint64_t number = 2; number <= 5; ++number) take(number);
  EXPECT_EQ(order(), (numbers{2, 3, 4, 5}));
  how_.gap_bytes_max = 1000;
  take(7, 600);
  take(9, 600);
  EXPECT_EQ(order(), (numbers{2, 3, 4, 5, 7}));
}

}  // namespace
}  // namespace muster::cluster

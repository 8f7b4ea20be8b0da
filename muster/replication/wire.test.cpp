#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "muster/replication/diverged_tail.hpp"
#include "muster/replication/durable_meta.hpp"
#include "muster/replication/framing.hpp"
#include "muster/replication/message_codec.hpp"
#include "muster/replication/options.hpp"
#include "tests/support/golden.hpp"

namespace muster::replication {
namespace {

bytes some_bytes() { return *rc::gen::arbitrary<bytes>(); }

self_description some_one() {
  prng source{*rc::gen::arbitrary<std::uint64_t>()};
  self_description out;
  out.name = *rc::gen::arbitrary<std::string>();
  out.versions = {*rc::gen::arbitrary<std::uint8_t>(), *rc::gen::arbitrary<std::uint8_t>()};
  out.incarnation = uuid::random(source);
  out.role = *rc::gen::element(role::master, role::slave);
  out.phase = static_cast<phase>(*rc::gen::inRange(0, static_cast<int>(phase::failed) + 1));
  if (*rc::gen::arbitrary<bool>()) {
    out.history.database = uuid::random(source);
    out.history.terms.begin({.number = 1 + source.below(9), .id = uuid::random(source)}, serial{1});
    out.history.last = serial{source.below(1000)};
    out.history.acknowledged = serial{source.below(out.history.last.value() + 1)};
  }
  out.endpoints = some_bytes();
  return out;
}

std::vector<log_entry> some_entries(serial after) {
  std::vector<log_entry> out;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
    after = next(after);
    out.push_back({after, shared_bytes{some_bytes()}});
  }
  return out;
}

roster some_roster() {
  roster out{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<bool>(), {}};
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    out.replicas.push_back({*rc::gen::arbitrary<std::string>(), some_bytes()});
  }
  return out;
}

message some_message() {
  const auto number = [] { return *rc::gen::arbitrary<std::uint64_t>(); };
  const session_id session{number()};
  switch (*rc::gen::inRange(0, 10)) {
    case 0: return describe{number(), some_one()};
    case 1: return description{number(), some_one()};
    case 2:
      return open{number(), *rc::gen::element(open_purpose::follow, open_purpose::copy), *rc::gen::arbitrary<bool>(),
                  some_one()};
    case 3: return refused{number(), refusal::split_brain, *rc::gen::arbitrary<std::string>(), some_one()};
    case 4: return opened{number(), session, 1, catch_up_plan::snapshot, some_one(), some_roster()};
    case 5: {
      append out;
      out.session = session;
      out.current.number = number();
      out.previous = serial{static_cast<std::uint64_t>(*rc::gen::inRange(0, 1'000'000))};
      out.entries = some_entries(out.previous);
      out.acknowledged = serial{number()};
      out.active = *rc::gen::arbitrary<bool>();
      if (*rc::gen::arbitrary<bool>()) {
        out.replicas = some_roster();
      }
      out.roster_version = number();
      return out;
    }
    case 6: {
      appended out{session, serial{number()}, number()};
      if (*rc::gen::arbitrary<bool>()) {
        out.endpoints = some_bytes();
      }
      return out;
    }
    case 7: {
      snapshot_chunk out;
      out.session = session;
      out.index = number();
      out.is_last = *rc::gen::arbitrary<bool>();
      out.content = shared_bytes{some_bytes()};
      out.history = some_one().history;
      out.recent = some_entries(out.history.acknowledged);
      return out;
    }
    case 8: return snapshot_received{session, number()};
    default: return closed{session, refusal::missed_bound, *rc::gen::arbitrary<std::string>()};
  }
}

// --- golden files ---

uuid uuid_of(std::uint8_t octet) {
  std::array<std::uint8_t, 16> out{};
  out.fill(octet);
  return uuid{out};
}

self_description a_slave() {
  self_description out;
  out.versions = {1, 2};
  out.name = "slave1";
  out.incarnation = uuid_of(0xaa);
  out.role = role::slave;
  out.phase = phase::searching;
  out.history.database = uuid_of(0xbb);
  out.history.terms.begin({.number = 1, .id = uuid_of(0xc1)}, serial{1});
  out.history.terms.begin({.number = 2, .id = uuid_of(0xc2)}, serial{300});
  out.history.last = serial{400};
  out.history.acknowledged = serial{399};
  out.history.replicated = serial{398};
  out.endpoints = {0xee, 0xef};
  return out;
}

TEST(replication_golden_file, holds_every_kind_of_message) {
  const session_id session{0x0102030405060708};
  const roster replicas{7, true, {{"Master", {0xe0}}, {"slave1", {0xe1}}}};
  const std::vector<log_entry> entries{{serial{401}, shared_bytes{bytes{1, 2}}}, {serial{402}, shared_bytes{bytes{3}}}};
  const auto version_1 = [](const message& what) { return encode(what, 1); };
  tests::expect_golden<message>(
      "replication-1",
      {{"describe", describe{300, a_slave()}},
       {"description", description{300, a_slave()}},
       {"open", open{9, open_purpose::follow, true, a_slave()}},
       {"refused", refused{9, refusal::split_brain, "why", a_slave()}},
       {"opened", opened{9, session, 1, catch_up_plan::snapshot, a_slave(), replicas}},
       {"append", append{session, {2, uuid_of(0xc2)}, serial{400}, entries, serial{400}, true, replicas, 7}},
       {"append_heartbeat", append{session, {2, uuid_of(0xc2)}, serial{400}, {}, serial{400}, true, {}, 7}},
       {"appended", appended{session, serial{402}, 7, bytes{0xee}}},
       {"snapshot_chunk",
        snapshot_chunk{
            session, 3, true, shared_bytes{bytes{5, 6}}, a_slave().history, {{serial{400}, shared_bytes{bytes{1}}}}}},
       {"snapshot_received", snapshot_received{session, 4}},
       {"closed", closed{session, refusal::missed_bound, "why"}}},
      version_1, [](const bytes& content) { return decode(content); });
}

TEST(replication_golden_file, holds_what_is_persisted_with_each_commit) {
  tests::expect_golden<durable_meta>(
      "durable-meta-1",
      {{"new", durable_meta{}}, {"master", durable_meta{a_slave().history, role::master, {{"slave1", {0xe1}}}}}},
      [](const durable_meta& what) { return encode(what); }, [](const bytes& content) { return decode_meta(content); });
}

RC_GTEST_PROP(message_codec, reads_what_it_wrote, ()) {
  const message sent = some_message();
  const auto read = decode(encode(sent, 1));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == sent);
}

RC_GTEST_PROP(message_codec, refuses_every_message_that_was_cut_short, ()) {
  const message sent = some_message();
  bytes content = encode(sent, 1);
  content.resize(static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(content.size()))));
  RC_ASSERT(!decode(content).has_value());
}

TEST(message_codec, reads_a_handshake_that_a_later_program_made_longer) {
  bytes content = encode(describe{}, 1);
  content.insert(content.end(), {1, 2, 3});
  EXPECT_TRUE(decode(content));
}

TEST(message_codec, refuses_versions_and_kinds_that_it_does_not_know) {
  bytes content = encode(appended{}, 1);
  content[0] = supported_versions.max + 1;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  content[0] = 1;
  content[1] = 200;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  content[0] = handshake_version;
  content[1] = 7;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  EXPECT_EQ(decode(bytes{}).error().code, errc::corrupt);
}

TEST(version, agreed_on_is_the_highest_in_common) {
  EXPECT_EQ(common_version({1, 3}, {2, 5}), 3);
  EXPECT_EQ(common_version({1, 1}, {1, 1}), 1);
  EXPECT_EQ(common_version({1, 1}, {2, 3}), std::nullopt);
  EXPECT_EQ(common_version({4, 6}, {1, 3}), std::nullopt);
}

RC_GTEST_PROP(framing, brings_messages_whole_in_whatever_order_their_frames_come, ()) {
  std::vector<bytes> sent;
  std::vector<bytes> frames;
  for (std::uint64_t number = 0; number < 3; ++number) {
    sent.push_back(some_bytes());
    for (auto& frame : to_frames(sent.back(), number, 5)) {
      frames.push_back(frame);
      if (*rc::gen::inRange(0, 4) == 0) {
        frames.push_back(frame);
      }
    }
  }
  prng order{*rc::gen::arbitrary<std::uint64_t>()};
  for (std::size_t i = frames.size(); i > 1; --i) {
    std::swap(frames[i - 1], frames[order.below(i)]);
  }
  frame_assembly assembly;
  std::vector<bytes> arrived;
  for (const auto& frame : frames) {
    auto whole = assembly.add(frame);
    RC_ASSERT(whole.has_value());
    if (*whole) {
      arrived.push_back(**whole);
    }
  }
  for (const auto& one : sent) {
    RC_ASSERT(std::ranges::count(arrived, one) >= 1);
  }
}

TEST(framing, sends_a_chunk_of_the_usual_size_as_one_frame) {
  snapshot_chunk chunk;
  chunk.content = shared_bytes{bytes(options{}.message_bytes_max, 1)};
  EXPECT_EQ(to_frames(encode(chunk, 1), 1).size(), 1U);
}

TEST(framing, bounds_what_incomplete_messages_hold) {
  frame_assembly assembly{1000};
  const auto frames = to_frames(bytes(3000, 1), 1, 400);
  bool refused = false;
  for (const auto& frame : frames) {
    auto whole = assembly.add(frame);
    refused = refused || !whole;
    EXPECT_FALSE(whole && *whole);
  }
  EXPECT_TRUE(refused);
}

TEST(framing, gives_up_the_oldest_of_many_incomplete_messages) {
  frame_assembly assembly;
  std::vector<std::vector<bytes>> all;
  for (std::uint64_t number = 1; number <= 20; ++number) {
    all.push_back(to_frames(bytes(20, static_cast<std::uint8_t>(number)), number, 10));
    ASSERT_EQ(all.back().size(), 2U);
    EXPECT_FALSE(*assembly.add(all.back()[0]));
  }
  EXPECT_FALSE(*assembly.add(all.front()[1])) << "its first part was given up";
  EXPECT_TRUE(*assembly.add(all.back()[1]));
}

TEST(durable_meta, survives_its_encoding_and_knows_a_later_format) {
  durable_meta one;
  one.last_role = role::slave;
  one.known_replicas = {{"Master", {1, 2}}, {"odd / name ☃", {}}};
  EXPECT_EQ(*decode_meta(encode(one)), one);
  bytes later = encode(one);
  later[0] = 9;
  EXPECT_EQ(decode_meta(later).error().code, errc::incompatible);
  EXPECT_FALSE(decode_meta(bytes{}));
}

TEST(durable_meta, restored_from_a_backup_has_no_role) {
  durable_meta one;
  one.last_role = role::master;
  EXPECT_EQ(decode_meta(*mark_restored(encode(one)))->last_role, std::nullopt);
}

TEST(diverged_tail, is_read_whole_or_refused) {
  diverged_tail one;
  one.replica = "Old / Master";
  one.dropped.last = serial{8};
  one.in_favour_of.number = 2;
  one.entries = {{serial{7}, shared_bytes{bytes{1, 2}}}, {serial{8}, shared_bytes{bytes{}}}};
  prng source{3};
  one.dropped.database = uuid::random(source);
  one.dropped.terms.begin({.number = 1, .id = uuid::random(source)}, serial{1});
  const bytes file = encode(one);
  EXPECT_EQ(*decode_tail(file), one);
  for (std::size_t i = 0; i < file.size(); ++i) {
    bytes damaged = file;
    damaged[i] ^= 1U;
    EXPECT_FALSE(decode_tail(damaged)) << "byte " << i;
    damaged.resize(i);
    EXPECT_FALSE(decode_tail(damaged)) << "cut to " << i;
  }
}

TEST(diverged_tail, has_a_file_name_that_is_safe_whatever_the_replica_is_called) {
  diverged_tail one;
  one.replica = "../../etc/☃ " + std::string(300, 'x');
  const std::string name = tail_file_name(one);
  EXPECT_LT(name.size(), 128U);
  EXPECT_EQ(name.find('/'), std::string::npos);
  EXPECT_EQ(name.find(".."), std::string::npos);
}

}  // namespace
}  // namespace muster::replication

#include "muster/ice/cluster_transport.test.hpp"

#include <Ice/Ice.h>

#include "muster/ice/cluster_address.hpp"

namespace muster::ice {
namespace {

using namespace std::chrono_literals;
using cluster::send_outcome;
using testing::channel;
using testing::eventually;
using testing::raw_peer;
using testing::station;
using testing::text_of;

constexpr std::size_t mebibyte = std::size_t{1024} * 1024;

cluster_transport_options with_room_for(std::size_t in_flight_bytes) {
  cluster_transport_options how;
  how.frame_bytes_max = in_flight_bytes / 4;
  how.in_flight_bytes_max = in_flight_bytes;
  return how;
}

TEST(cluster_transport, gives_an_address_with_the_port_that_it_has_found) {
  const station one;
  const auto read = parse_cluster_address(one.address);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text, one.address);
  EXPECT_TRUE(one.address.starts_with("tcp -h 127.0.0.1 -p ")) << one.address;
}

TEST(cluster_transport, keeps_the_order_of_frames_from_before_the_connection_is_there) {
  const station a;
  const station b;
  constexpr std::size_t frames = 3000;
  for (std::size_t i = 0; i < frames; ++i) {
    ASSERT_EQ(a.send(b.address, fmt::format("{} {}", i, std::string(i % 997, 'x'))), send_outcome::accepted);
  }
  ASSERT_TRUE(b.in->wait_for_frames(frames));
  const auto all = b.in->letters();
  for (std::size_t i = 0; i < frames; ++i) ASSERT_TRUE(text_of(all[i]).starts_with(fmt::format("{} ", i))) << i;
  EXPECT_EQ(a.wire->counted().connections, 1U);
  EXPECT_TRUE(eventually([&] { return a.wire->in_flight_bytes(b.address, channel::gossip) == 0; }));
}

TEST(cluster_transport, gives_each_channel_a_connection_of_its_own) {
  const station a;
  const station b;
  for (const auto on : {channel::membership, channel::gossip, channel::actors, channel::membership}) {
    ASSERT_EQ(a.send(b.address, "x", on), send_outcome::accepted);
  }
  ASSERT_TRUE(b.in->wait_for_frames(4));
  EXPECT_EQ(a.wire->counted().connections, 3U);
  EXPECT_EQ(b.in->letters().front().name, "");
}

TEST(cluster_transport, carries_frames_as_large_as_they_may_be) {
  const station a;
  const station b;
  std::string large(mebibyte, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31 / 7);
  for (int i = 0; i < 8; ++i) ASSERT_EQ(a.send(b.address, large), send_outcome::accepted);
  ASSERT_TRUE(b.in->wait_for_frames(8));
  for (const auto& one : b.in->letters()) EXPECT_TRUE(text_of(one) == large);
}

TEST(cluster_transport, does_not_send_what_is_too_large_and_drops_what_comes_too_large) {
  cluster_transport_options how;
  how.frame_bytes_max = 4096;
  const station narrow{how};
  how.frame_bytes_max = 6000;
  const station wide{how};
  EXPECT_EQ(narrow.send(wide.address, std::string(4097, 'x')), send_outcome::refused);
  EXPECT_EQ(narrow.wire->counted().oversized, 1U);

  ASSERT_EQ(wide.send(narrow.address, std::string(4097, 'x')), send_outcome::accepted);
  ASSERT_EQ(wide.send(narrow.address, std::string(4096, 'y')), send_outcome::accepted);
  ASSERT_TRUE(narrow.in->wait_for_frames(1));
  EXPECT_EQ(narrow.in->letters().front().frame.front(), 'y');
  EXPECT_EQ(narrow.wire->counted().oversized, 2U);
  EXPECT_EQ(wide.wire->counted().connections, 1U);
  EXPECT_EQ(wide.in->losses(), 0U);
}

TEST(cluster_transport, bounds_what_waits_for_a_connection) {
  const station a{with_room_for(64 * 1024)};
  const raw_peer mute;
  EXPECT_TRUE(a.wire->has_room(mute.address(), channel::actors, 8000));
  std::size_t accepted = 0;
  while (a.send(mute.address(), std::string(8000, 'x'), channel::actors) == send_outcome::accepted) ++accepted;
  EXPECT_EQ(accepted, 7U);  // 64 KiB, with what is charged beside a frame's bytes
  EXPECT_FALSE(a.wire->has_room(mute.address(), channel::actors, 8000));
  EXPECT_EQ(a.wire->counted().refused, 1U);
  // To others, and on another channel, there is room.
  EXPECT_TRUE(a.wire->has_room(mute.address(), channel::gossip, 8000));
  EXPECT_TRUE(a.wire->has_room("tcp -h 127.0.0.1 -p 1", channel::actors, 8000));
}

TEST(cluster_transport, bounds_what_is_in_flight_to_a_peer_that_does_not_read) {
  const station a{with_room_for(mebibyte)};
  raw_peer deaf;
  ASSERT_EQ(a.send(deaf.address(), "hello"), send_outcome::accepted);
  ASSERT_NO_FATAL_FAILURE(deaf.accept());
  // The kernel takes some; when it takes no more, what is on its way stays within the bound.
  const std::string frame(60'000, 'x');
  std::size_t refused_in_a_row = 0;
  ASSERT_TRUE(eventually([&] {
    refused_in_a_row = a.send(deaf.address(), frame) == send_outcome::refused ? refused_in_a_row + 1 : 0;
    EXPECT_LE(a.wire->in_flight_bytes(deaf.address(), channel::gossip), mebibyte);
    return refused_in_a_row > 200;
  }));
  EXPECT_GT(a.wire->in_flight_bytes(deaf.address(), channel::gossip), mebibyte / 2);

  deaf.hang_up();
  EXPECT_TRUE(a.in->wait_for_loss(deaf.address()));
  EXPECT_TRUE(eventually([&] { return a.wire->in_flight_bytes(deaf.address(), channel::gossip) == 0; }));
  EXPECT_GT(a.wire->counted().lost, 0U);
  EXPECT_TRUE(a.wire->has_room(deaf.address(), channel::gossip, frame.size()));
}

TEST(cluster_transport, tells_when_nobody_listens_at_an_address) {
  const station a;
  raw_peer gone;
  gone.stop_listening();
  ASSERT_EQ(a.send(gone.address(), "x", channel::membership), send_outcome::accepted);
  EXPECT_TRUE(a.in->wait_for_refusal(gone.address()));
  EXPECT_EQ(a.in->losses(), 0U);
  EXPECT_EQ(a.wire->in_flight_bytes(gone.address(), channel::membership), 0U);
  EXPECT_EQ(a.wire->counted().lost, 1U);
}

TEST(cluster_transport, tells_when_a_connection_breaks) {
  const station a;
  raw_peer dying;
  ASSERT_EQ(a.send(dying.address(), "x"), send_outcome::accepted);
  ASSERT_NO_FATAL_FAILURE(dying.accept());
  ASSERT_TRUE(eventually([&] { return a.wire->counted().connections == 1; }));
  dying.hang_up();
  EXPECT_TRUE(a.in->wait_for_loss(dying.address()));
}

TEST(cluster_transport, takes_a_graceful_close_for_no_loss) {
  const station a;
  auto b = std::make_unique<station>();
  const std::string address = b->address;
  ASSERT_EQ(a.send(address, "x"), send_outcome::accepted);
  ASSERT_TRUE(b->in->wait_for_frames(1));
  b.reset();
  // Its connection has closed, so a new one is tried.
  EXPECT_TRUE(eventually([&] { return a.send(address, "y") == send_outcome::accepted && a.in->refusals() > 0; }));
  EXPECT_EQ(a.in->losses(), 0U);
}

TEST(cluster_transport, finds_the_successor_at_an_address) {
  const station a;
  cluster_transport_options how;
  {
    const station first;
    how.listen = first.address;
    ASSERT_EQ(a.send(first.address, "x"), send_outcome::accepted);
    ASSERT_TRUE(first.in->wait_for_frames(1));
  }
  const station second{how};
  ASSERT_EQ(second.address, how.listen);
  ASSERT_TRUE(eventually(
      [&] { return a.send(second.address, "y") == send_outcome::accepted && !second.in->letters().empty(); }));
}

TEST(cluster_transport, keeps_an_idle_connection) {
  cluster_transport_options how;
  how.silence_timeout = 2s;
  const station a{how};
  const station b{how};
  ASSERT_EQ(a.send(b.address, "x"), send_outcome::accepted);
  // Four in the time after which silence would count.
  ASSERT_TRUE(eventually([&] { return a.wire->counted().signs_of_life >= 6; }));
  ASSERT_EQ(a.send(b.address, "y"), send_outcome::accepted);
  ASSERT_TRUE(b.in->wait_for_frames(2));
  EXPECT_EQ(a.wire->counted().connections, 1U);
  EXPECT_EQ(a.in->losses(), 0U);
}

TEST(cluster_transport, gives_up_a_connection_without_a_sign_of_life_when_it_is_to_be_used) {
  auto passed = std::make_shared<std::atomic<std::int64_t>>(0);
  cluster_transport_options how;
  how.now = [passed] { return testing::steady_now() + std::chrono::seconds{passed->load()}; };
  const station a{how};
  raw_peer cut_off;
  ASSERT_EQ(a.send(cut_off.address(), "x"), send_outcome::accepted);
  ASSERT_NO_FATAL_FAILURE(cut_off.accept());
  ASSERT_TRUE(eventually([&] { return a.wire->counted().connections == 1; }));
  *passed = 9;
  ASSERT_EQ(a.send(cut_off.address(), "y"), send_outcome::accepted);
  EXPECT_TRUE(a.in->wait_for_loss(cut_off.address()));
  ASSERT_NO_FATAL_FAILURE(cut_off.accept());
  EXPECT_TRUE(eventually([&] { return a.wire->counted().connections == 2; }));
  EXPECT_TRUE(eventually([&] { return a.wire->in_flight_bytes(cut_off.address(), channel::gossip) == 0; }));
}

TEST(cluster_transport, lets_what_was_accepted_leave_before_it_ends) {
  const station b;
  {
    const station a;
    for (int i = 0; i < 100; ++i) ASSERT_EQ(a.send(b.address, "farewell"), send_outcome::accepted);
    a.wire->stop();
    EXPECT_EQ(a.send(b.address, "too late"), send_outcome::accepted);
  }
  ASSERT_TRUE(b.in->wait_for_frames(100));
  EXPECT_EQ(b.in->letters().size(), 100U);
}

TEST(cluster_transport, ends_in_bounded_time_beside_a_silent_peer) {
  cluster_transport_options how;
  how.stop_timeout = 200ms;
  auto a = std::make_unique<station>(how);
  raw_peer deaf;
  raw_peer mute;
  ASSERT_EQ(a->send(deaf.address(), std::string(mebibyte, 'x')), send_outcome::accepted);
  ASSERT_EQ(a->send(deaf.address(), std::string(mebibyte, 'x')), send_outcome::accepted);
  ASSERT_EQ(a->send(mute.address(), "x"), send_outcome::accepted);
  ASSERT_NO_FATAL_FAILURE(deaf.accept());
  ASSERT_TRUE(eventually([&] { return a->wire->counted().connections == 1; }));
  const auto begin = testing::steady_now();
  a->wire->stop();
  EXPECT_LT(testing::steady_now() - begin, 500ms);
  a->wire->stop();
  a.reset();
  EXPECT_LT(testing::steady_now() - begin, 5s);
}

TEST(cluster_transport, releases_its_receiver_when_it_stops) {
  const station a;
  const station b;
  ASSERT_EQ(a.send(b.address, "x"), send_outcome::accepted);
  ASSERT_TRUE(b.in->wait_for_frames(1));
  EXPECT_GT(b.in.use_count(), 1);
  b.wire->stop();
  EXPECT_EQ(b.in.use_count(), 1);
}

TEST(cluster_transport, answers_what_it_does_not_know_as_ice_does) {
  const station a;
  const Ice::CommunicatorHolder other{Ice::InitializationData{}};
  const auto ask = [&](const std::string& object, const std::string& operation) {
    std::vector<Ice::Byte> out;
    return other->stringToProxy(object + ":" + a.address)
        ->ice_invoke(operation, Ice::OperationMode::Normal, std::vector<Ice::Byte>{}, out);
  };
  EXPECT_THROW(ask("node", "conquer"), Ice::OperationNotExistException);
  EXPECT_THROW(ask("somebody", "deliver"), Ice::ObjectNotExistException);
  EXPECT_THROW(ask("node -f side", "deliver"), Ice::FacetNotExistException);
  EXPECT_THROW(ask("node", "deliver"), Ice::UnknownLocalException);  // without a frame: it cannot be unmarshalled
}

TEST(cluster_transport, drops_and_names_an_address_that_is_none) {
  const station a;
  EXPECT_EQ(a.send("node @ adapter", "x"), send_outcome::accepted);
  EXPECT_EQ(a.send("udp -h 127.0.0.1 -p 1", "x"), send_outcome::accepted);
  EXPECT_EQ(a.send("ssl -h 127.0.0.1 -p 1", "x"), send_outcome::accepted);
  EXPECT_EQ(a.wire->counted().unreadable_addresses, 3U);
  EXPECT_TRUE(a.log.wait_for("node_address_not_usable", "ssl -h 127.0.0.1 -p 1", "listens without"));
}

TEST(cluster_transport, says_that_it_is_open_to_everybody) {
  const station closed;
  cluster_transport_options how;
  how.listen = "tcp -h 0.0.0.0";
  how.published = "tcp -h 127.0.0.1";
  const station open{how};
  EXPECT_TRUE(open.log.wait_for("cluster_without_tls", "tcp -h 0.0.0.0"));
  EXPECT_TRUE(open.address.starts_with("tcp -h 127.0.0.1 -p ")) << open.address;
  EXPECT_TRUE(closed.log.lines().empty());
  ASSERT_EQ(closed.send(open.address, "x"), send_outcome::accepted);
  EXPECT_TRUE(open.in->wait_for_frames(1));
}

TEST(cluster_transport, names_what_it_cannot_be_made_with) {
  const station first;
  tests::event_recorder log;
  const auto why_not = [&](cluster_transport_options how) {
    how.now = testing::steady_now;
    const auto made = cluster_transport::make(std::move(how), log);
    if (!made) return made.error().message;
    const auto at = (*made)->start(std::make_shared<testing::inbox>());
    return at ? std::string{} : at.error().message;
  };
  EXPECT_EQ(why_not({.listen = first.address}), fmt::format("somebody listens at '{}' already", first.address));
  EXPECT_EQ(why_not({.listen = "udp -p 1"}),
            "a node cannot listen at 'udp -p 1': udp cannot be used here; allowed are tcp, ssl, ws and wss");
  EXPECT_NE(why_not({.listen = "tcp -p 70000"}).find("allowed is a port"), std::string::npos);
  EXPECT_NE(why_not({.listen = "tcp -h 127.0.0.1:ssl -h 127.0.0.1"}).find("in part without TLS"), std::string::npos);
  EXPECT_NE(why_not({.listen = "tcp -h nowhere.invalid"}).find("nobody can listen at"), std::string::npos);
  EXPECT_NE(why_not({.frame_bytes_max = 1}).find("frame_bytes_max is 1; allowed is 1024"), std::string::npos);
  EXPECT_NE(why_not({.silence_timeout = 0s}).find("silence_timeout is 0 s; allowed is 1 s"), std::string::npos);
}

TEST(cluster_address, spells_equal_ones_alike) {
  EXPECT_EQ(parse_cluster_address("tcp  -p 4070 -h  10.0.0.1 -t 60000 -z")->text, "tcp -h 10.0.0.1 -p 4070");
  EXPECT_EQ(parse_cluster_address("ssl -h Node.Example -p 04070")->text, "ssl -h node.example -p 4070");
  EXPECT_TRUE(parse_cluster_address("ssl -h a -p 1")->is_encrypted);
  EXPECT_EQ(parse_cluster_address("tcp -h \"::1\" -p 1:tcp -h 127.0.0.1 -p 1")->text,
            "tcp -h \"::1\" -p 1:tcp -h 127.0.0.1 -p 1");
  EXPECT_EQ(parse_cluster_address("tcp -h a", "4070")->text, "tcp -h a -p 4070");
}

TEST(cluster_address, names_what_is_wrong_with_one) {
  for (const char* bad : {"", "nonsense", "tcp -h a", "tcp -p 1", "tcp -h a -p 0", "tcp -h * -p 1", "udp -h a -p 1",
                          "tcp -h a -p 1:ssl -h a -p 2", "tcp -h 0.0.0.0 -p 1"}) {
    const auto read = parse_cluster_address(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().code, errc::invalid_argument);
  }
  EXPECT_EQ(parse_cluster_address("udp -h a -p 1").error().message,
            "'udp -h a -p 1' is no address: udp cannot be used here; allowed are tcp, ssl, ws and wss");
}

}  // namespace
}  // namespace muster::ice

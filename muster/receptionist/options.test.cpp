#include "muster/receptionist/options.hpp"

#include <gtest/gtest.h>

#include <string>

namespace muster::receptionist {
namespace {

using namespace std::chrono_literals;

TEST(receptionist_options, have_the_defaults_of_the_documentation) {
  const auto found = options{}.resolve();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->max_subscribers_per_key, 1000U);
  EXPECT_EQ(found->max_subscribers_total, 10'000U);
  EXPECT_EQ(found->gossip_interval, 1s);
  EXPECT_FALSE(found->watch_registered);
}

TEST(receptionist_options, explicit_beats_configuration_beats_default) {
  const auto found = options{}
                         .configuration({{"cluster.receptionist.max-subscribers-per-key", "5"},
                                         {"cluster.receptionist.max-subscribers-total", "50"},
                                         {"cluster.receptionist.gossip-interval", "250ms"},
                                         {"cluster.receptionist.watch-registered", "true"},
                                         {"something.else", "x"}})
                         .max_subscribers_per_key(7)
                         .resolve();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->max_subscribers_per_key, 7U);
  EXPECT_EQ(found->max_subscribers_total, 50U);
  EXPECT_EQ(found->gossip_interval, 250ms);
  EXPECT_TRUE(found->watch_registered);
}

TEST(receptionist_options, an_explicit_option_beats_even_a_bad_property) {
  EXPECT_TRUE(
      options{}.configuration({{"cluster.receptionist.gossip-interval", "soon"}}).gossip_interval(2s).resolve());
}

TEST(receptionist_options, an_empty_property_is_none) {
  const auto found = options{}.configuration({{"cluster.receptionist.max-subscribers-total", ""}}).resolve();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->max_subscribers_total, 10'000U);
}

TEST(receptionist_options, take_durations_with_their_units) {
  const auto interval = [](std::string text) {
    return options{}.configuration({{"cluster.receptionist.gossip-interval", std::move(text)}}).resolve();
  };
  EXPECT_EQ(interval("1500")->gossip_interval, 1500ms);
  EXPECT_EQ(interval("2s")->gossip_interval, 2s);
  EXPECT_EQ(interval("2 s")->gossip_interval, 2s);
  EXPECT_EQ(interval("1.5s")->gossip_interval, 1500ms);
  EXPECT_EQ(interval("1m")->gossip_interval, 1min);
  for (const char* bad : {"0", "0s", "-1s", "2h", "1 fortnight", "s", "99999999999999999999s", "9999999999h"}) {
    EXPECT_FALSE(interval(bad)) << bad;
  }
}

TEST(receptionist_options, a_bad_value_is_told_with_its_name_and_what_is_allowed) {
  EXPECT_EQ(options{}.max_subscribers_per_key(0).resolve().error().message,
            "cluster.receptionist.max-subscribers-per-key is '0'; allowed is a number from 1 to 1000000000");
  EXPECT_EQ(options{}.max_subscribers_total(-3).resolve().error().message,
            "cluster.receptionist.max-subscribers-total is '-3'; allowed is a number from 1 to 1000000000");
  EXPECT_EQ(options{}.configuration({{"cluster.receptionist.max-subscribers-total", "many"}}).resolve().error().message,
            "cluster.receptionist.max-subscribers-total is 'many'; allowed is a number from 1 to 1000000000");
  EXPECT_EQ(options{}.configuration({{"cluster.receptionist.watch-registered", "maybe"}}).resolve().error().message,
            "cluster.receptionist.watch-registered is 'maybe'; allowed is true or false");
  EXPECT_EQ(options{}.gossip_interval(0s).resolve().error().message,
            "cluster.receptionist.gossip-interval is '0ns'; allowed is a duration from 1ms to 1h");
}

TEST(receptionist_options, refuse_a_property_with_a_slip_of_the_pen) {
  const auto found = options{}.configuration({{"cluster.receptionist.max-subscriber-per-key", "5"}}).resolve();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, errc::invalid_argument);
  EXPECT_NE(found.error().message.find("max-subscriber-per-key is '5'"), std::string::npos);
}

}  // namespace
}  // namespace muster::receptionist

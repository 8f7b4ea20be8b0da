#include "muster/locator/active_replica.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "muster/locator/test_proxies.hpp"

namespace muster::locator {
namespace {

using testing::dummy;

active_replica sample() {
  active_replica one;
  one.name = "S 1 \u00e4";
  one.client = dummy({1, 2});
  one.server = dummy({3});
  one.internal = dummy({4});
  one.admin_session_manager = dummy({5});
  one.has_user_account_mapper = true;
  return one;
}

TEST(active_replica, is_read_back_as_it_was_written) {
  const active_replica one = sample();
  EXPECT_EQ(decode_active_replica(encode(one)), one);
  active_replica master = one;
  master.is_master = true;
  EXPECT_EQ(decode_active_replica(encode(master)), master);
  EXPECT_EQ(decode_active_replica(encode(active_replica{})), active_replica{});
}

TEST(active_replica, of_another_format_is_refused_by_number) {
  bytes input = encode(sample());
  input[0] = 2;
  const auto read = decode_active_replica(input);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errc::incompatible);
  EXPECT_EQ(read.error().message, "a replica describes itself in format 2, and this program knows format 1");
}

TEST(active_replica, that_is_cut_off_or_goes_on_is_corrupt) {
  const bytes whole = encode(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = decode_active_replica(byte_view{whole}.first(size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, errc::corrupt) << size;
  }
  bytes longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(decode_active_replica(longer));
}

RC_GTEST_PROP(active_replica, survives_any_bytes, (bytes input)) {
  (void)decode_active_replica(input);
  input.insert(input.begin(), 1);
  if (const auto read = decode_active_replica(input)) RC_ASSERT(decode_active_replica(encode(*read)) == *read);
}

}  // namespace
}  // namespace muster::locator

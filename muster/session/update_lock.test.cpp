#include "muster/session/update_lock.hpp"

#include <gtest/gtest.h>

namespace muster::session {
namespace {

constexpr session_id alice{1};
constexpr session_id bob{2};

TEST(update_lock, is_exclusive_and_names_its_holder) {
  update_lock lock;
  EXPECT_TRUE(lock.acquire(alice, "alice"));
  const auto denied = lock.acquire(bob, "bob");
  ASSERT_FALSE(denied);
  EXPECT_TRUE(denied.error().held);
  EXPECT_EQ(denied.error().holder, "alice");
  EXPECT_EQ(denied.error().as_error(), (error{errc::locked, "the update lock is held by 'alice'"}));
  EXPECT_EQ(lock.holder(), "alice");
}

TEST(update_lock, is_taken_again_by_its_holder) {
  update_lock lock;
  EXPECT_TRUE(lock.acquire(alice, "alice"));
  EXPECT_TRUE(lock.acquire(alice, "alice"));
  EXPECT_TRUE(lock.release(alice));
  EXPECT_EQ(lock.holder(), std::nullopt) << "one release frees it, however often it was taken";
}

TEST(update_lock, is_held_also_by_a_user_without_a_name) {
  update_lock lock;
  EXPECT_TRUE(lock.acquire(alice, ""));
  const auto denied = lock.check(bob);
  ASSERT_FALSE(denied);
  EXPECT_TRUE(denied.error().held);
  EXPECT_EQ(denied.error().as_error().message, "the update lock is held by ''");
}

TEST(update_lock, lets_everybody_change_while_nobody_holds_it_and_the_holder_alone_afterwards) {
  update_lock lock;
  EXPECT_TRUE(lock.check(alice));
  EXPECT_TRUE(lock.check(bob));
  ASSERT_TRUE(lock.acquire(alice, "alice"));
  EXPECT_TRUE(lock.check(alice));
  EXPECT_FALSE(lock.check(bob));
}

TEST(update_lock, is_released_by_its_holder_alone) {
  update_lock lock;
  const auto nobody = lock.release(bob);
  ASSERT_FALSE(nobody);
  EXPECT_FALSE(nobody.error().held);
  EXPECT_EQ(nobody.error().as_error().message, "nobody holds the update lock: call startUpdate first");
  ASSERT_TRUE(lock.acquire(alice, "alice"));
  const auto other = lock.release(bob);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().holder, "alice");
  EXPECT_TRUE(lock.release(alice));
  EXPECT_TRUE(lock.acquire(bob, "bob"));
}

TEST(update_lock, is_free_once_its_session_has_ended) {
  update_lock lock;
  ASSERT_TRUE(lock.acquire(alice, "alice"));
  lock.session_ended(bob);
  EXPECT_EQ(lock.holder(), "alice") << "another session's end does not free it";
  lock.session_ended(alice);
  EXPECT_EQ(lock.holder(), std::nullopt);
  EXPECT_TRUE(lock.acquire(bob, "bob"));
}

}  // namespace
}  // namespace muster::session

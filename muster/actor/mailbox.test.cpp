#include "muster/actor/mailbox.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace muster::actor_kernel {
namespace {

class numbered final : public envelope {
 public:
  numbered(int by, int which) : writer{by}, number{which} {}
  void deliver(cell&) override {}
  const int writer;
  const int number;
};

const numbered& as_numbered(const envelope& what) { return static_cast<const numbered&>(what); }

std::vector<int> numbers_of(envelope* list) {
  std::vector<int> out;
  while (list != nullptr) {
    const std::unique_ptr<envelope> first{std::exchange(list, list->next)};
    out.push_back(as_numbered(*first).number);
  }
  return out;
}

TEST(mailbox, gives_what_waits_in_the_order_of_its_coming) {
  mailbox box;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(box.push(*new numbered{0, i}), mailbox::pushed::queued);
  }
  EXPECT_EQ(numbers_of(box.take()), (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(box.take(), nullptr);
}

TEST(mailbox, asks_for_its_reader_only_when_that_sleeps) {
  mailbox box;
  ASSERT_TRUE(box.rest());
  EXPECT_EQ(box.push(*new numbered{0, 1}), mailbox::pushed::wake);
  EXPECT_EQ(box.push(*new numbered{0, 2}), mailbox::pushed::queued);
  EXPECT_FALSE(box.rest()) << "something waits";
  EXPECT_EQ(numbers_of(box.take()), (std::vector{1, 2}));
  EXPECT_TRUE(box.rest());
}

TEST(mailbox, that_is_closed_takes_nothing_and_gives_the_rest_once) {
  mailbox box;
  ASSERT_EQ(box.push(*new numbered{0, 1}), mailbox::pushed::queued);
  const auto rest = box.close();
  EXPECT_FALSE(rest.reader_slept);
  EXPECT_EQ(numbers_of(rest.waiting), (std::vector{1}));
  EXPECT_EQ(box.close().waiting, nullptr);
  numbered late{0, 2};
  EXPECT_EQ(box.push(late), mailbox::pushed::closed);
  EXPECT_EQ(box.take(), nullptr);
  EXPECT_FALSE(box.rest());
  EXPECT_TRUE(box.closed());
}

TEST(mailbox, says_when_its_reader_slept_as_it_was_closed) {
  mailbox box;
  ASSERT_TRUE(box.rest());
  EXPECT_TRUE(box.close().reader_slept);
}

TEST(mailbox, deletes_what_nobody_took) {
  mailbox box;
  ASSERT_EQ(box.push(*new numbered{0, 1}), mailbox::pushed::queued);
  // Memory checkers say the rest.
}

TEST(mailbox, keeps_each_writers_order_and_loses_nothing_under_contention) {
  constexpr int writers = 4;
  constexpr int each = 20'000;
  mailbox box;
  std::atomic<int> wakes{0};
  std::vector<int> next(writers, 0);
  int taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer) {
      threads.emplace_back([&, writer] {
        for (int i = 0; i < each; ++i) {
          if (box.push(*new numbered{writer, i}) == mailbox::pushed::wake) wakes.fetch_add(1);
        }
      });
    }
    int rests = 0;
    while (taken < writers * each) {
      envelope* list = box.take();
      if (list == nullptr) {
        if (!box.rest()) continue;
        ++rests;
        // One who rests is woken once: that is what lets a single turn be asked for.
        while (wakes.load() < rests) std::this_thread::yield();
        continue;
      }
      while (list != nullptr) {
        const std::unique_ptr<envelope> first{std::exchange(list, list->next)};
        const auto& one = as_numbered(*first);
        ASSERT_EQ(one.number, next[static_cast<std::size_t>(one.writer)]++);
        ++taken;
      }
    }
  }
  EXPECT_EQ(taken, writers * each);
}

RC_GTEST_PROP(mailbox, is_a_queue_whatever_the_order_of_pushes_takes_and_rests, (const std::vector<bool>& pushes)) {
  mailbox box;
  bool asleep = false;
  int pushed = 0;
  std::vector<int> got;
  for (const bool push : pushes) {
    if (push) {
      const auto outcome = box.push(*new numbered{0, pushed++});
      RC_ASSERT(outcome == (asleep ? mailbox::pushed::wake : mailbox::pushed::queued));
      asleep = false;
    } else if (!asleep) {
      const auto some = numbers_of(box.take());
      got.insert(got.end(), some.begin(), some.end());
      asleep = box.rest();
      RC_ASSERT(asleep);
    }
  }
  // A reader that sleeps has taken all.
  const auto rest = asleep ? std::vector<int>{} : numbers_of(box.take());
  got.insert(got.end(), rest.begin(), rest.end());
  RC_ASSERT(got.size() == static_cast<std::size_t>(pushed));
  RC_ASSERT(std::is_sorted(got.begin(), got.end()));
}

}  // namespace
}  // namespace muster::actor_kernel

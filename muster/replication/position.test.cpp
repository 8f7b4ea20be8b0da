#include "muster/replication/position.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace muster::replication {
namespace {

term number(std::uint64_t n, std::uint64_t seed = 0) {
  prng source{n * 1000 + seed};
  return {.number = n, .id = uuid::random(source)};
}

history of(std::initializer_list<std::pair<term, std::uint64_t>> steps, std::uint64_t last) {
  history out;
  for (const auto& [which, first] : steps) {
    out.terms.begin(which, serial{first});
  }
  out.last = serial{last};
  return out;
}

TEST(lineage, names_the_term_that_wrote_each_change) {
  const auto one = of({{number(1), 1}, {number(2), 10}}, 20).terms;
  EXPECT_EQ(one.term_of(serial{9}), number(1));
  EXPECT_EQ(one.term_of(serial{10}), number(2));
  EXPECT_TRUE(one.term_of(serial{0}).is_none());
  EXPECT_TRUE(lineage{}.term_of(serial{1}).is_none());
}

TEST(lineage, forgets_terms_of_which_nothing_is_kept) {
  lineage one = of({{number(1), 1}, {number(2), 15}}, 10).terms;
  one.begin(number(3), serial{11});
  ASSERT_EQ(one.steps().size(), 2U);
  EXPECT_EQ(one.term_of(serial{15}), number(3));
}

TEST(lineage, is_read_only_when_numbers_and_serials_rise) {
  EXPECT_TRUE(lineage::from_steps({{number(1), serial{1}}, {number(4), serial{2}}}));
  EXPECT_FALSE(lineage::from_steps({{number(1), serial{2}}}));
  EXPECT_FALSE(lineage::from_steps({{number(1), serial{1}}, {number(1, 5), serial{2}}}));
  EXPECT_FALSE(lineage::from_steps({{number(1), serial{1}}, {number(2), serial{1}}}));
  EXPECT_FALSE(lineage::from_steps({{term{}, serial{1}}}));
}

TEST(fork_point, of_one_history_is_the_shorter_end) {
  const auto longer = of({{number(1), 1}}, 20);
  const auto shorter = of({{number(1), 1}}, 12);
  EXPECT_EQ(fork_point(longer, shorter), serial{12});
  EXPECT_EQ(fork_point(shorter, longer), serial{12});
}

TEST(fork_point, is_before_the_first_change_of_a_term_that_only_one_side_knows) {
  const auto old_master = of({{number(1), 1}}, 12);
  const auto promoted = of({{number(1), 1}, {number(2), 11}}, 50);
  EXPECT_EQ(fork_point(old_master, promoted), serial{10});
}

TEST(fork_point, of_two_promotions_to_one_number_is_before_the_earlier_one) {
  const auto left = of({{number(1), 1}, {number(2, 1), 11}}, 50);
  const auto right = of({{number(1), 1}, {number(2, 2), 16}}, 60);
  EXPECT_EQ(fork_point(left, right), serial{10});
}

TEST(fork_point, is_the_end_of_a_slave_that_knows_a_term_before_it_has_its_changes) {
  const auto slave = of({{number(1), 1}, {number(2), 15}}, 10);
  const auto master = of({{number(1), 1}, {number(2), 15}}, 20);
  EXPECT_EQ(fork_point(slave, master), serial{10});
}

TEST(fork_point, of_nothing_in_common_is_zero) {
  EXPECT_EQ(fork_point(of({{number(1, 1), 1}}, 9), of({{number(1, 2), 1}}, 9)), serial{0});
  EXPECT_EQ(fork_point(history{}, of({{number(1), 1}}, 9)), serial{0});
}

/// Two replicas grow by writing, promotion and following; their real changes tell where they part.
RC_GTEST_PROP(fork_point, is_where_the_changes_really_part, ()) {
  struct replica {
    history position;
    std::vector<uuid> wrote;  // which term wrote each change
    bool reigns{false};       // its current term is its own
  };
  prng ids{*rc::gen::arbitrary<std::uint64_t>()};
  std::vector<replica> all(2);
  all[0].position.terms.begin({.number = 1, .id = uuid::random(ids)}, serial{1});
  all[1] = all[0];
  all[0].reigns = true;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6));
  for (const int step : steps) {
    replica& one = all[static_cast<std::size_t>(step % 2)];
    const replica& other = all[static_cast<std::size_t>((step + 1) % 2)];
    if (step < 2) {
      if (!one.reigns) {
        continue;
      }
      one.position.last = next(one.position.last);
      one.wrote.push_back(one.position.terms.current().id);
    } else if (step < 4) {
      one.position.terms.begin({.number = one.position.terms.current().number + 1, .id = uuid::random(ids)},
                               next(one.position.last));
      one.reigns = true;
    } else if (fork_point(one.position, other.position) == one.position.last &&
               other.position.terms.current().number >= one.position.terms.current().number) {
      // Follows the other: knows its terms, and takes one change if there is one.
      one.position.terms = other.position.terms;
      one.reigns = false;
      if (other.wrote.size() > one.wrote.size()) {
        one.wrote.push_back(other.wrote[one.wrote.size()]);
        one.position.last = next(one.position.last);
      }
    }
  }
  std::size_t common = 0;
  while (common < std::min(all[0].wrote.size(), all[1].wrote.size()) && all[0].wrote[common] == all[1].wrote[common]) {
    ++common;
  }
  RC_ASSERT(fork_point(all[0].position, all[1].position) == serial{common});
  for (const auto& one : all) {
    for (std::size_t i = 0; i < one.wrote.size(); ++i) {
      RC_ASSERT(one.position.terms.term_of(serial{i + 1}).id == one.wrote[i]);
    }
  }
}

TEST(history, survives_its_encoding_and_refuses_what_cannot_be) {
  history one = of({{number(1), 1}, {number(7), 30}}, 40);
  prng source{5};
  one.database = uuid::random(source);
  one.acknowledged = serial{39};
  const auto read = [](const history& what) {
    byte_writer out;
    encode(out, what);
    const bytes content = std::move(out).take();
    byte_reader in{content};
    const history back = decode_history(in);
    return in.failed() ? std::optional<history>{} : std::optional{back};
  };
  EXPECT_EQ(read(one), one);
  EXPECT_EQ(read(history{}), history{});
  history wrong = one;
  wrong.acknowledged = serial{41};
  EXPECT_FALSE(read(wrong));
  wrong = one;
  wrong.database = {};
  EXPECT_FALSE(read(wrong));
  wrong = {};
  wrong.database = one.database;
  EXPECT_FALSE(read(wrong));
}

}  // namespace
}  // namespace muster::replication

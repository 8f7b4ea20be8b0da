#include "muster/receptionist/roster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/base/prng.hpp"

namespace muster::receptionist {
namespace {

class a_roster : public ::testing::Test {
 protected:
  [[nodiscard]] row row_of(std::uint64_t number, std::string_view type = "t") const {
    return {origin_, path_, number, gossip::shared_text{type}};
  }
  [[nodiscard]] roster_ptr with(const roster_ptr& base, std::vector<edit> edits) const {
    return roster::merged(key_, base, edits, nullptr);
  }
  [[nodiscard]] roster_ptr of(std::uint64_t count) const {
    std::vector<edit> edits;
    for (std::uint64_t i = 0; i < count; ++i) edits.push_back({row_of(i * 2), false});
    return with(nullptr, edits);
  }
  [[nodiscard]] static std::size_t shared_chunks(const roster_ptr& a, const roster_ptr& b) {
    std::set<chunk_ptr> known;
    known.insert(a->items().begin(), a->items().end());
    return static_cast<std::size_t>(
        std::ranges::count_if(b->items(), [&](const chunk_ptr& one) { return known.contains(one); }));
  }

  const gossip::shared_text key_{"api"};
  const gossip::shared_text path_{"/user/a"};
  const origin_ptr origin_{new origin_record{gossip::make_origin("n", 1), false, nullptr}};
};

TEST_F(a_roster, of_100000_rows_shares_all_but_one_chunk_with_its_successor) {
  const auto before = of(100'000);
  const auto after = with(before, {{row_of(77'777), false}});
  EXPECT_EQ(after->size(), 100'001U);
  EXPECT_TRUE(after->contains(row_of(77'777)));
  EXPECT_FALSE(before->contains(row_of(77'777))) << "what was given away does not change";
  EXPECT_EQ(shared_chunks(before, after) + 1, after->items().size());
  EXPECT_LE(after->items().size(), 100'000U / 100);
}

TEST_F(a_roster, that_has_lost_most_rows_has_few_chunks) {
  const auto before = of(100'000);
  std::vector<edit> edits;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    if (i % 100 != 0) edits.push_back({row_of(i * 2), true});
  }
  const auto after = with(before, edits);
  EXPECT_EQ(after->size(), 1000U);
  EXPECT_LE(after->items().size(), 1000U / 32 + 1);
}

TEST_F(a_roster, that_has_lost_all_rows_is_none) {
  EXPECT_EQ(with(of(1), {{row_of(0), true}}), nullptr);
  EXPECT_EQ(with(nullptr, {}), nullptr);
}

TEST_F(a_roster, of_one_row_needs_no_chunk_and_is_like_any_other_else) {
  const auto one = with(nullptr, {{row_of(5), false}});
  EXPECT_TRUE(one->items().empty());
  EXPECT_EQ(one->size(), 1U);
  EXPECT_EQ(one->front(), row_of(5));
  EXPECT_TRUE(one->contains(row_of(5)));
  EXPECT_FALSE(one->contains(row_of(4)));
  EXPECT_FALSE(one->contains(row_of(6)));
  EXPECT_TRUE(one->has_rows_of(origin_));
  EXPECT_FALSE(one->is_mixed());

  const auto three = with(one, {{row_of(4), false}, {row_of(6), false}});
  EXPECT_EQ(three->size(), 3U);
  EXPECT_EQ(three->items().size(), 1U);
  const auto again = with(three, {{row_of(4), true}, {row_of(6), true}});
  EXPECT_TRUE(again->items().empty());
  EXPECT_TRUE(same_content(again, one));
  EXPECT_FALSE(same_content(again, three));
  EXPECT_FALSE(same_content(again, with(again, {{row_of(5), true}, {row_of(7), false}})));

  const boost::intrusive_ptr<unreachable_origins> down{new unreachable_origins};
  down->origins.push_back(origin_);
  const auto unreached = roster::merged(key_, one, {}, down);
  EXPECT_EQ(unreached->front(), row_of(5));
  EXPECT_FALSE(unreached->is_reachable(row_of(5)));
  EXPECT_TRUE(one->is_reachable(row_of(5))) << "what was given away does not change";
  EXPECT_FALSE(same_content(unreached, one));
}

TEST_F(a_roster, equals_another_one_by_what_it_lists_however_it_came_about) {
  const auto a = of(1000);
  const auto b = with(with(a, {{row_of(501), false}}), {{row_of(501), true}});
  EXPECT_TRUE(same_content(a, b));
  EXPECT_FALSE(same_content(a, with(a, {{row_of(501), false}})));
  EXPECT_FALSE(same_content(a, with(with(a, {{row_of(500), true}}), {{row_of(501), false}})));
  EXPECT_FALSE(same_content(a, nullptr));
  EXPECT_TRUE(same_content(nullptr, nullptr));
  const boost::intrusive_ptr<unreachable_origins> down{new unreachable_origins};
  down->origins.push_back(origin_);
  EXPECT_FALSE(same_content(a, roster::merged(key_, a, {}, down)));
}

TEST_F(a_roster, knows_whether_its_rows_are_of_one_type) {
  const auto one = of(500);
  EXPECT_FALSE(one->is_mixed());
  const auto two = with(one, {{row_of(333, "other"), false}});
  EXPECT_TRUE(two->is_mixed());
  EXPECT_FALSE(with(two, {{row_of(333, "other"), true}})->is_mixed());
  EXPECT_TRUE(with(nullptr, {{row_of(1, ""), false}})->is_mixed()) << "another node's type without a name is no type";
}

TEST_F(a_roster, keeps_the_first_view_of_each_kind) {
  struct marked final : roster_view {
    explicit marked(const void* kind) : roster_view{kind} {}
  };
  const auto rows = of(1);
  const int kinds[2]{};
  const auto& first = rows->view(&kinds[0], [&] { return std::make_unique<marked>(&kinds[0]); });
  const auto& other = rows->view(&kinds[1], [&] { return std::make_unique<marked>(&kinds[1]); });
  EXPECT_NE(&first, &other);
  EXPECT_EQ(&rows->view(&kinds[0], [&] { return std::make_unique<marked>(&kinds[0]); }), &first);
}

TEST_F(a_roster, differs_for_who_sees_one_type_exactly_if_its_rows_do) {
  const origin_ptr other{new origin_record{gossip::make_origin("o", 1), false, nullptr}};
  const boost::intrusive_ptr<unreachable_origins> without_other{new unreachable_origins};
  without_other->origins = {other};
  const auto seen_of = [](const roster_ptr& rows, std::string_view type) {
    std::vector<std::pair<row, bool>> out;
    if (!rows) return out;
    rows->for_each([&](const row& one) {
      if (one.type.view() == type) out.emplace_back(one, rows->is_reachable(one));
    });
    return out;
  };
  prng random{11};
  std::array<std::size_t, 2> outcomes{};
  for (int round = 0; round < 300; ++round) {
    // Long runs of one type, so that chunks are of one type, of the other, and of both; and small ones.
    const std::uint64_t size = round % 3 == 0 ? random.below(4) : random.below(1500);
    const std::uint64_t run = 1 + random.below(400);
    const auto any_row = [&](std::uint64_t number) {
      return row{number * 2 < size ? origin_ : other, path_, number, gossip::shared_text{number / run % 2 ? "t" : "u"}};
    };
    std::vector<edit> all;
    for (std::uint64_t i = 0; i < size; ++i) {
      if (random.chance(4, 5)) all.push_back({any_row(i), false});
    }
    const auto before = with(nullptr, all);
    std::vector<edit> some;
    for (std::uint64_t i = 0; i < size; ++i) {
      if (!random.chance(1, size / 2 + 1)) continue;
      some.push_back({any_row(i), before && before->contains(any_row(i))});
    }
    const auto after = roster::merged(key_, before, some, random.chance(1, 4) ? without_other : unreachable_ptr{});
    if (same_content(before, after)) continue;
    for (const std::string_view type : {"t", "u", "v"}) {
      const bool differs = seen_of(before, type) != seen_of(after, type);
      ++outcomes[differs ? 1 : 0];
      EXPECT_EQ(differs_for(before, after, type), differs) << round << ' ' << type;
      EXPECT_EQ(differs_for(after, before, type), differs) << round << ' ' << type;
    }
  }
  EXPECT_GT(outcomes[0], 200U);
  EXPECT_GT(outcomes[1], 100U);
}

}  // namespace
}  // namespace muster::receptionist

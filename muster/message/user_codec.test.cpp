#include <gtest/gtest.h>

#include <stdexcept>

#include "muster/message/test_content.hpp"
#include "muster/message/test_sample.hpp"

namespace muster::message::testing {
namespace {

/// With an invariant, and without a default.
class money {
 public:
  explicit money(std::int64_t cents, std::string currency = "EUR") : cents_{cents}, currency_{std::move(currency)} {
    if (cents < 0) throw std::invalid_argument{"money is not negative"};
  }
  friend bool operator==(const money&, const money&) = default;

  std::int64_t cents_;
  std::string currency_;
};

}  // namespace
}  // namespace muster::message::testing

template <>
struct muster::codec<muster::message::testing::money> {
  using money = muster::message::testing::money;
  static void write(const money& what, muster::message::writer& into) {
    into.u64(static_cast<std::uint64_t>(what.cents_));
    muster::message::write(into, what.currency_);
  }
  static money read(muster::message::reader& from) {
    const auto cents = static_cast<std::int64_t>(from.u64());
    return money{cents, from.at_end() ? "EUR" : muster::message::read<std::string>(from)};
  }
};
template <>
inline constexpr std::string_view muster::message_name<muster::message::testing::money> = "::Shop::Money";

namespace muster::message::testing {
namespace {

struct bill {
  static constexpr std::string_view message_name = "test.bill";
  std::vector<money> items;
  std::optional<money> tip;
  std::variant<std::int32_t, money> either;
};

TEST(codec_of_a_user, writes_the_type_alone_and_within_others) {
  EXPECT_EQ(hex(content_of(money{5})), "01 0c 05 00 00 00 00 00 00 00 03 45 55 52");
  EXPECT_EQ(message_of<money>(content_of(money{5, "USD"})), (money{5, "USD"}));
  const auto read = message_of<bill>(content_of(bill{{money{1}, money{2}}, money{3}, money{4}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->items, (std::vector{money{1}, money{2}}));
  EXPECT_EQ(read->tip, money{3});
  EXPECT_EQ(std::get<money>(read->either), money{4});
}

TEST(codec_of_a_user, may_read_less_or_more_than_another_build_writes) {
  EXPECT_EQ(message_of<money>(from_hex("01 08 05 00 00 00 00 00 00 00")), money{5});
  EXPECT_EQ(message_of<money>(from_hex("01 0d 05 00 00 00 00 00 00 00 03 45 55 52 ff")), money{5});
}

TEST(codec_of_a_user, that_throws_refuses_the_message) {
  EXPECT_FALSE(message_of<money>(from_hex("01 08 ff ff ff ff ff ff ff ff")));
}

}  // namespace
}  // namespace muster::message::testing

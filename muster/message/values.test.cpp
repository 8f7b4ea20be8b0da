#include "muster/message/values.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <memory>

#include "muster/base/error.hpp"
#include "muster/base/instant.hpp"
#include "muster/message/test_content.hpp"
#include "muster/message/test_sample.hpp"
#include "tests/support/golden.hpp"

namespace muster::message::testing {
namespace {

template <typename T>
T any() {
  return *rc::gen::arbitrary<T>();
}

point any_point() { return {any<std::int32_t>(), any<std::int32_t>()}; }

double any_real() { return static_cast<double>(any<std::int64_t>()) / 1024; }

tree any_tree(int depth) {
  tree out{any<std::string>(), {}, {}};
  if (depth == 0) return out;
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) out.branches.push_back(any_tree(depth - 1));
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) out.named[any<std::string>()] = any_tree(depth - 1);
  return out;
}

template <typename T>
std::vector<T> several(const std::function<T()>& make) {
  std::vector<T> out;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) out.push_back(make());
  return out;
}

colour any_colour() { return *rc::gen::element(colour::red, colour::green, colour::blue); }

sample any_sample() {
  sample s;
  s.all = {any<bool>(),         any<char>(),          any<std::int8_t>(),  any<std::uint8_t>(),
           any<std::int16_t>(), any<std::uint16_t>(), any<std::int32_t>(), any<std::uint32_t>(),
           any<std::int64_t>(), any<std::uint64_t>(), any<long long>(),    static_cast<float>(any<std::int16_t>()) / 8,
           any_real()};
  s.paint = any_colour();
  s.plain = *rc::gen::element(zero, one, two);
  s.handle = handle_number{any<std::uint64_t>()};
  s.rights = *rc::gen::element(right::none, right::to_read | right::to_write, right::to_list | right::to_read);
  s.text = any<std::string>();
  if (any<bool>()) s.note = any<std::string>();
  if (any<bool>()) s.place = any_point();
  switch (*rc::gen::inRange(0, 3)) {
    case 0: s.either = any<std::int32_t>(); break;
    case 1: s.either = any<std::string>(); break;
    default: s.either = any_point();
  }
  s.longs = any<std::vector<std::int64_t>>();
  s.bits = any<std::vector<bool>>();
  s.raw = any<bytes>();
  s.points = several<point>(any_point);
  s.table = any<std::vector<std::vector<std::string>>>();
  const auto queue = any<std::vector<std::string>>();
  s.queue = {queue.begin(), queue.end()};
  const auto colours = several<colour>(any_colour);
  s.colours = {colours.begin(), colours.end()};
  for (const auto& name : any<std::set<std::string>>()) s.by_name[name] = any_point();
  for (const auto& name : any<std::vector<std::string>>()) s.many.emplace(*rc::gen::inRange(0, 3), name);
  for (const auto& [key, text] : any<std::map<std::int32_t, std::string>>()) s.unordered[key] = text;
  s.names = any<std::set<std::string>>();
  for (const auto one : any<std::vector<std::int64_t>>()) s.unordered_set.insert(one);
  s.three = {any<std::int16_t>(), any<std::int16_t>(), any<std::int16_t>()};
  s.pair = {any<std::int32_t>(), any<std::string>()};
  s.tuple = {any<bool>(), any_real(), any<std::string>()};
  s.ms = std::chrono::milliseconds{any<std::int64_t>()};
  s.seconds = std::chrono::duration<double>{any_real()};
  s.at = std::chrono::system_clock::time_point{std::chrono::nanoseconds{any<std::int64_t>()}};
  s.day = std::chrono::sys_days{std::chrono::days{any<std::int32_t>()}};
  s.order = order_id{any<std::uint32_t>()};
  s.grown = any_tree(2);
  return s;
}

RC_GTEST_PROP(message_content, of_every_kind_is_read_as_it_was_written, ()) {
  const sample sent = any_sample();
  const auto read = message_of<sample>(content_of(sent));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == sent);
  // Of equal messages the bytes are equal, but for the order of what has none.
  RC_ASSERT(content_of(*read).size() == content_of(sent).size());
}

RC_GTEST_PROP(message_content, cut_short_anywhere_or_with_more_behind_it_is_not_taken, ()) {
  bytes content = content_of(any_sample());
  const auto cut =
      static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(content.size())));
  RC_ASSERT(!message_of<sample>(byte_view{content}.first(cut)));
  content.push_back(any<std::uint8_t>());
  RC_ASSERT(!message_of<sample>(content));
}

// --- golden bytes: docs/protocols/messages.md ---

struct flat {
  static constexpr std::string_view message_name = "test.flat";
  std::string path;
  std::int32_t number{0};
  bool yes{false};
  colour paint{colour::red};
  std::optional<std::uint16_t> port;
  std::variant<std::int32_t, std::string> either;
  std::vector<point> points;
  std::map<std::string, double> prices;
  std::chrono::milliseconds wait{0};
};

TEST(message_content, has_the_bytes_that_the_protocol_says) {
  const flat message{
      "/index", -2, true, colour::blue, 4070, "x", {{1, 2}}, {{"a", 1.5}}, std::chrono::milliseconds{500}};
  const bytes golden = tests::golden("content-1").at("flat");
  EXPECT_EQ(hex(content_of(message)), hex(golden));
  const auto read = message_of<flat>(golden);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(hex(content_of(*read)), hex(golden));
}

TEST(message_content, of_a_single_value_has_no_block) {
  EXPECT_EQ(hex(content_of(std::int32_t{7})), "01 07 00 00 00");
  EXPECT_EQ(hex(content_of(true)), "01 01");
  EXPECT_EQ(hex(content_of(std::string{"hi"})), "01 02 68 69");
  EXPECT_EQ(hex(content_of(0.5)), "01 00 00 00 00 00 00 e0 3f");
  EXPECT_EQ(message_of<std::int64_t>(content_of(std::int64_t{-9})), -9);
}

struct text_message {
  static constexpr std::string_view message_name = "test.text";
  std::string text;
};

TEST(message_content, that_is_long_has_a_size_of_five_bytes) {
  for (const std::size_t size : {0U, 1U, 253U, 254U, 255U, 256U, 65'536U}) {
    const bytes content = content_of(text_message{std::string(size, 'x')});
    const std::size_t text = size + (size < 255 ? 1 : 5);
    EXPECT_EQ(content.size(), 1 + (text < 255 ? 1 : 5) + text) << size;
    const auto read = message_of<text_message>(content);
    ASSERT_TRUE(read) << size;
    EXPECT_EQ(read->text.size(), size);
  }
}

// --- what can be sent ---

struct nameless {
  int x{0};
};
struct pointing {
  static constexpr std::string_view message_name = "test.pointing";
  std::unique_ptr<int> where;
};
struct viewing {
  static constexpr std::string_view message_name = "test.viewing";
  std::string_view what;
};
struct steady {
  static constexpr std::string_view message_name = "test.steady";
  instant when;
};
struct deriving : point {
  static constexpr std::string_view message_name = "test.deriving";
  int z{0};
};
struct calling {
  static constexpr std::string_view message_name = "test.calling";
  std::function<void()> what;
};
struct failing {
  static constexpr std::string_view message_name = "test.failing";
  muster::error why;
};

TEST(sendable_messages, have_a_name_and_members_that_mean_something_elsewhere) {
  EXPECT_TRUE(sendable<sample>);
  EXPECT_TRUE(sendable<failing>);
  EXPECT_TRUE((sendable<std::variant<sample, std::int32_t>>));
  EXPECT_FALSE(sendable<nameless>);
  EXPECT_FALSE((sendable<std::variant<sample, nameless>>)) << "each alternative must be";
  EXPECT_FALSE(sendable<pointing>);
  EXPECT_FALSE(sendable<viewing>);
  EXPECT_FALSE(sendable<steady>) << "another machine's steady clock is another clock";
  EXPECT_FALSE(sendable<deriving>);
  EXPECT_FALSE(sendable<calling>);
}

TEST(sendable_messages, of_a_variant_have_name_and_content_of_what_it_holds) {
  using talk = std::variant<std::int32_t, std::string>;
  const talk said{std::string{"hi"}};
  EXPECT_EQ(content_codec<talk>::name(said), "string");
  byte_writer into;
  content_codec<talk>::write(said, into);
  EXPECT_EQ(hex(std::move(into).take()), hex(content_of(std::string{"hi"})));
}

}  // namespace
}  // namespace muster::message::testing

// Whatever comes from the wire is taken whole or not at all, within bounds.

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>

#include "muster/base/prng.hpp"
#include "muster/message/test_content.hpp"
#include "muster/message/test_sample.hpp"

namespace muster::message::testing {
namespace {

std::size_t allocated_bytes = 0;  // by the containers of this test

template <typename T>
struct counting_allocator {
  using value_type = T;
  counting_allocator() = default;
  template <typename U>
  counting_allocator(const counting_allocator<U>&) {}  // NOLINT(google-explicit-constructor): as allocators are
  T* allocate(std::size_t count) {
    allocated_bytes += count * sizeof(T);
    return std::allocator<T>{}.allocate(count);
  }
  void deallocate(T* what, std::size_t count) { std::allocator<T>{}.deallocate(what, count); }
  friend bool operator==(const counting_allocator&, const counting_allocator&) { return true; }
};
template <typename T>
using counted = std::vector<T, counting_allocator<T>>;

struct large {
  std::array<std::int64_t, 128> many{};
};
struct hoard {
  static constexpr std::string_view message_name = "test.hoard";
  counted<std::int64_t> longs;
  counted<large> larges;
};

TEST(malformed_content, claims_a_count_in_vain) {
  allocated_bytes = 0;
  // 2^31 - 1 numbers of 8 bytes in a message of 10 bytes.
  EXPECT_FALSE(message_of<hoard>(from_hex("01 08 ff ff ff ff 7f 01 02 03")));
  EXPECT_EQ(allocated_bytes, 0U);
}

TEST(malformed_content, of_many_empty_items_gets_memory_in_proportion) {
  writer block;
  {
    const writer::block own{block};
    block.size(0);
    block.size(1'000'000);
    for (int i = 0; i < 1'000'000; ++i) block.u8(0);  // each of them 1 KiB when read
  }
  bytes content{content_version};
  content.insert(content.end(), block.written().begin(), block.written().end());
  allocated_bytes = 0;
  EXPECT_FALSE(message_of<hoard>(content));
  EXPECT_LT(allocated_bytes, 4 * content.size() * reader::memory_factor_max) << "with what a vector leaves as it grows";
}

struct choosy {
  static constexpr std::string_view message_name = "test.choosy";
  bool yes{false};
  colour paint{colour::red};
  std::variant<std::int32_t, std::string> either;
  std::optional<std::int8_t> maybe;
  plain_number plain{zero};
  handle_number handle{};
  right rights{};
  std::map<std::int8_t, std::int8_t> map;
  std::set<std::int8_t> set;
};

bytes choosy_content(std::size_t at, std::uint8_t value) {
  // Block; bool; enum; variant 0 and 4 bytes; no optional; 4 bytes of plain; 8 of handle; 2 of rights; two entries; two
  // items.
  bytes content = content_of(choosy{true, colour::blue, 5, {}, two, {}, {}, {{1, 1}, {2, 2}}, {{1, 2}}});
  content.at(at) = value;
  return content;
}

TEST(malformed_content, has_values_that_cannot_be) {
  EXPECT_TRUE(message_of<choosy>(choosy_content(2, 1)));
  EXPECT_FALSE(message_of<choosy>(choosy_content(2, 2))) << "no bool";
  EXPECT_TRUE(message_of<choosy>(choosy_content(3, 3)));
  EXPECT_FALSE(message_of<choosy>(choosy_content(3, 1))) << "between the enumerators";
  EXPECT_FALSE(message_of<choosy>(choosy_content(3, 5))) << "beyond the enumerators";
  EXPECT_FALSE(message_of<choosy>(choosy_content(4, 2))) << "no such alternative";
  EXPECT_FALSE(message_of<choosy>(choosy_content(9, 7))) << "neither there nor not";
  EXPECT_FALSE(message_of<choosy>(choosy_content(10, 3))) << "beyond an enum without a type";
  EXPECT_FALSE(message_of<choosy>(choosy_content(13, 0xff))) << "far beyond";
  EXPECT_TRUE(message_of<choosy>(choosy_content(14, 77))) << "an enum without enumerators is a number";
  EXPECT_TRUE(message_of<choosy>(choosy_content(22, 7))) << "a set of bits may be any";
  EXPECT_FALSE(message_of<choosy>(choosy_content(27, 1))) << "a key twice";
  EXPECT_FALSE(message_of<choosy>(choosy_content(31, 1))) << "an item twice";
}

TEST(malformed_content, has_sizes_that_ice_would_not_write) {
  EXPECT_FALSE(message_of<std::string>(from_hex("01 ff 02 00 00 00 68 69"))) << "not the shortest form";
  EXPECT_FALSE(message_of<std::string>(from_hex("01 ff ff ff ff ff 68 69"))) << "below 0";
}

struct deep {
  static constexpr std::string_view message_name = "test.deep";
  tree root;
};

TEST(malformed_content, is_nested_too_deeply) {
  const auto nested = [](std::size_t levels) {
    deep out;
    for (tree* at = &out.root; levels != 0; --levels) at = &at->branches.emplace_back();
    return out;
  };
  EXPECT_TRUE(message_of<deep>(content_of(nested(nesting_max - 2))));
  EXPECT_EQ(hex(content_of(nested(nesting_max))), "00") << "a content of a version that nobody reads";
  EXPECT_FALSE(message_of<deep>(content_of(nested(nesting_max))));

  // As another program may write it.
  const auto written = [](int levels) {
    const auto block_of = [](bytes content) {
      writer size;
      size.size(content.size());
      content.insert(content.begin(), size.written().begin(), size.written().end());
      return content;
    };
    bytes content = block_of({0, 0});  // no name, no branches
    for (; levels != 0; --levels) {
      content.insert(content.begin(), {0, 1});
      content = block_of(std::move(content));
    }
    content = block_of(std::move(content));
    content.insert(content.begin(), content_version);
    return content;
  };
  EXPECT_TRUE(message_of<deep>(written(nesting_max - 2)));
  EXPECT_FALSE(message_of<deep>(written(nesting_max - 1)));
  EXPECT_FALSE(message_of<deep>(written(10'000)));
}

TEST(malformed_content, cut_short_at_each_byte_is_not_taken) {
  sample message;
  message.text = std::string(300, 't');
  message.points = {{1, 2}, {3, 4}};
  message.either = point{5, 6};
  message.grown = {"a", {{"b", {}, {}}}, {{"c", {"d", {}, {}}}}};
  const bytes content = content_of(message);
  ASSERT_TRUE(message_of<sample>(content));
  for (std::size_t size = 0; size < content.size(); ++size) {
    // Of exactly that size, so that a sanitizer sees a step beyond.
    const bytes cut(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(message_of<sample>(cut)) << size;
  }
}

TEST(malformed_content, at_random_does_no_harm) {
  prng random{7};
  sample message;
  message.points = {{1, 2}, {3, 4}};
  message.table = {{"a", "b"}, {}, {"c"}};
  message.grown = {"a", {{"b", {}, {}}}, {{"c", {"d", {}, {}}}}};
  const bytes valid = content_of(message);
  std::size_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    bytes content = valid;
    for (auto changes = random.below(8); changes != 0; --changes) {
      content[random.below(content.size())] = static_cast<std::uint8_t>(random());
    }
    if (random.below(4) == 0) content.resize(random.below(content.size()));
    const auto read = message_of<sample>(content);
    taken += read ? 1U : 0U;
    // What was taken is a message like any other.
    ASSERT_TRUE(!read || message_of<sample>(content_of(*read)).has_value());
  }
  EXPECT_GT(taken, 0U);
  EXPECT_LT(taken, 20'000U);
  for (int i = 0; i < 20'000; ++i) {
    bytes content(random.below(200));
    for (auto& one : content) one = static_cast<std::uint8_t>(random());
    if (!content.empty()) content[0] = content_version;
    (void)message_of<sample>(content);
  }
}

}  // namespace
}  // namespace muster::message::testing

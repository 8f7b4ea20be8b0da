#include "muster/base/codec.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using muster::byte_reader;
using muster::byte_writer;
using muster::bytes;
using muster::errc;

RC_GTEST_PROP(byte_codec, reads_back_what_was_written,
              (std::uint8_t small, std::uint64_t fixed, std::uint64_t size, const std::string& text,
               const std::vector<std::uint8_t>& blob)) {
  byte_writer writer;
  writer.u8(small);
  writer.u64(fixed);
  writer.size(size);
  writer.string(text);
  writer.blob(blob);
  const bytes written = std::move(writer).take();

  byte_reader reader{written};
  RC_ASSERT(reader.u8() == small);
  RC_ASSERT(reader.u64() == fixed);
  RC_ASSERT(reader.size() == size);
  RC_ASSERT(reader.string() == text);
  const auto read = reader.blob();
  RC_ASSERT(bytes(read.begin(), read.end()) == blob);
  RC_ASSERT(reader.finish("the record").has_value());
}

RC_GTEST_PROP(byte_codec, any_truncation_is_corrupt_and_never_read_beyond_the_end,
              (std::uint64_t fixed, const std::string& text)) {
  byte_writer writer;
  writer.u64(fixed);
  writer.string(text);
  bytes written = std::move(writer).take();
  written.resize(*rc::gen::inRange<std::size_t>(0, written.size()));

  byte_reader reader{written};
  static_cast<void>(reader.u64());
  static_cast<void>(reader.string());
  const auto outcome = reader.finish("the record");
  RC_ASSERT(!outcome.has_value());
  RC_ASSERT(outcome.error().code == errc::corrupt);
}

TEST(byte_codec, bytes_left_over_are_corrupt) {
  byte_writer writer;
  writer.u8(1);
  writer.u8(2);
  const bytes written = std::move(writer).take();
  byte_reader reader{written};
  EXPECT_EQ(reader.u8(), 1);
  const auto outcome = reader.finish("the record");
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().message, "the record has 1 bytes too many");
}

TEST(byte_codec, a_size_of_more_than_64_bits_is_refused) {
  const bytes eleven_continued(11, 0xff);
  byte_reader reader{eleven_continued};
  EXPECT_EQ(reader.size(), 0U);
  EXPECT_TRUE(reader.failed());
}

TEST(byte_codec, a_count_that_the_rest_cannot_hold_is_refused_before_anyone_allocates_for_it) {
  byte_writer writer;
  writer.size(1'000'000'000);
  writer.u8(7);
  const bytes written = std::move(writer).take();
  byte_reader reader{written};
  EXPECT_EQ(reader.count(4), 0U);
  EXPECT_TRUE(reader.failed());
}

}  // namespace

#include "muster/locator/requests.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <string>

namespace muster::locator {
namespace {

template <typename Write>
bytes params(encoding version, Write&& write) {
  bytes out;
  const std::size_t at = begin_encapsulation(out, version);
  write(out);
  end_encapsulation(out, at);
  return out;
}

bytes identity_params(encoding version, std::string_view name, std::string_view category) {
  return params(version, [&](bytes& out) {
    append_string(out, name);
    append_string(out, category);
  });
}

const std::string long_name(70'000, 'n');

TEST(requests, read_an_identity_in_both_encodings) {
  for (const encoding version : {encoding::v1_0, encoding::v1_1}) {
    for (const std::string& name : {std::string{"hello"}, std::string{}, std::string{"a/b @ \"c\""}, long_name}) {
      const bytes input = identity_params(version, name, "cat");
      const auto read = read_identity(input);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->version, version);
      EXPECT_EQ(read->params.name, name);
      EXPECT_EQ(read->params.category, "cat");
    }
  }
}

TEST(requests, read_the_bytes_that_the_ice_runtime_sends) {
  const bytes identity{0x0e, 0, 0, 0, 1, 1, 3, 'n', 'a', 'm', 3, 'c', 'a', 't'};
  EXPECT_EQ(read_identity(identity)->params, (catalog::identity_view{"nam", "cat"}));
  const bytes id{0x0a, 0, 0, 0, 1, 0, 3, 'a', 'd', 'p'};
  EXPECT_EQ(read_string(id)->params, "adp");
  EXPECT_EQ(read_string(id)->version, encoding::v1_0);
  EXPECT_TRUE(read_no_params(bytes{6, 0, 0, 0, 1, 1}));
}

TEST(requests, read_a_load_sample_and_refuse_one_that_does_not_exist) {
  const auto with_sample = [](std::uint8_t sample) {
    return params(encoding::v1_1, [&](bytes& out) {
      append_string(out, "::Demo::Hello");
      out.push_back(sample);
    });
  };
  const bytes good = with_sample(2);
  const auto read = read_type_and_sample(good);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->params.type, "::Demo::Hello");
  EXPECT_EQ(read->params.sample, load_sample::fifteen_minutes);
  EXPECT_EQ(read_type_and_sample(with_sample(3)).error().message, "3 is no load sample: 0, 1 and 2 are");
}

TEST(requests, read_a_registration_and_store_its_proxy_in_1_1) {
  // dummy:tcp -p 1 in 1.0
  const bytes proxy_1_0{5, 'd', 'u', 'm', 'm', 'y', 0, 0, 0, 0,    1,    1, 0, 16, 0,
                        0, 0,   1,   0,   0,   1,   0, 0, 0, 0x60, 0xea, 0, 0, 0};
  const bytes input = params(encoding::v1_0, [&](bytes& out) {
    append_string(out, "adapter");
    append_string(out, "group");
    append(out, proxy_1_0);
  });
  const auto read = read_replicated_adapter_registration(input);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->params.adapter_id, "adapter");
  EXPECT_EQ(read->params.replica_group_id, "group");
  EXPECT_EQ(read->params.proxy.view().encoding, (descriptor::version{1, 0}));
  EXPECT_EQ(read->params.proxy.view().endpoint_count, 1U);

  const bytes taken_back = params(encoding::v1_1, [&](bytes& out) {
    append_string(out, "adapter");
    out.insert(out.end(), 2, 0);
  });
  const auto null = read_adapter_registration(taken_back);
  ASSERT_TRUE(null);
  EXPECT_TRUE(null->params.proxy.is_null());
  EXPECT_EQ(null->params.replica_group_id, "");
}

TEST(requests, refuse_an_encoding_that_does_not_exist_yet) {
  for (const auto& [major, minor] : {std::pair{1, 2}, std::pair{2, 0}, std::pair{0, 1}}) {
    bytes input = identity_params(encoding::v1_1, "hello", "");
    input[4] = static_cast<std::uint8_t>(major);
    input[5] = static_cast<std::uint8_t>(minor);
    const auto read = read_identity(input);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, errc::incompatible);
  }
}

TEST(requests, refuse_what_is_cut_off_or_too_long) {
  const bytes whole = identity_params(encoding::v1_1, "hello", "cat");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(read_identity(byte_view{whole}.first(size)).error().code, errc::corrupt) << size;
    bytes shorter{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
    if (size < encapsulation_header_bytes) continue;
    end_encapsulation(shorter, 0);  // a size that is right for what there is
    EXPECT_EQ(read_identity(shorter).error().code, errc::corrupt) << size;
  }
  bytes longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(read_identity(longer)) << "the size does not count the last byte";
  end_encapsulation(longer, 0);
  EXPECT_EQ(read_identity(longer).error().message, "there is more than the parameters of the operation");
}

TEST(requests, refuse_a_size_beyond_the_end_without_allocating_for_it) {
  const bytes input = params(encoding::v1_1, [](bytes& out) {
    out.push_back(255);
    append_i32(out, 0x7fffffff);
  });
  EXPECT_FALSE(read_string(input));
  const bytes negative = params(encoding::v1_1, [](bytes& out) {
    out.push_back(255);
    append_i32(out, -1);
  });
  EXPECT_FALSE(read_string(negative));
}

RC_GTEST_PROP(requests, survive_any_bytes_behind_a_right_header, (bytes content)) {
  for (const encoding version : {encoding::v1_0, encoding::v1_1}) {
    const bytes input = params(version, [&](bytes& out) { append(out, content); });
    (void)read_no_params(input);
    (void)read_identity(input);
    (void)read_string(input);
    (void)read_type_and_sample(input);
    (void)read_adapter_registration(input);
    (void)read_replicated_adapter_registration(input);
    if (const auto read = read_proxy(input)) (void)read->params.view();
  }
}

}  // namespace
}  // namespace muster::locator

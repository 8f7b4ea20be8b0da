#include "muster/catalog/change.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/catalog/any_change.test.hpp"

namespace muster::catalog {
namespace {

RC_GTEST_PROP(change, is_decoded_as_it_was_encoded, ()) {
  const auto one = sample::any_change();
  const auto encoded = encode(one);
  const auto decoded = decode(encoded);
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(decoded->index() == one.index());
  RC_ASSERT(encode(*decoded) == encoded);
  RC_ASSERT(describe(*decoded) == describe(one));
}

TEST(change, keeps_every_member) {
  const auto proxy = sample::direct({"name", "category"}, 10);
  const auto object = std::get<add_object>(decode(encode(add_object{"::Type", proxy})).value());
  EXPECT_EQ(object.type, "::Type");
  EXPECT_EQ(object.proxy, proxy);
  const auto removed = std::get<remove_object>(decode(encode(remove_object{{"name", "category"}})).value());
  EXPECT_EQ(removed.id.name, "name");
  EXPECT_EQ(removed.id.category, "category");
  const auto adapter = std::get<set_adapter>(decode(encode(set_adapter{"id", "group", proxy})).value());
  EXPECT_EQ(adapter.id, "id");
  EXPECT_EQ(adapter.replica_group, "group");
  EXPECT_EQ(adapter.proxy, proxy);
  const auto application =
      std::make_shared<const IceGrid::ApplicationDescriptor>(sample::descriptors::application("app"));
  const auto added =
      std::get<add_application>(decode(encode(add_application{"uuid", {-5, "user"}, application})).value());
  EXPECT_EQ(added.uuid, "uuid");
  EXPECT_EQ(added.by, (edited{-5, "user"}));
  EXPECT_EQ(added.descriptor->replicaGroups.size(), 1U);
}

TEST(change, keeps_its_format) {
  // Logs and other replicas hold these bytes: another layout is another version (docs/protocols/catalog.md).
  const auto proxy = encoded_proxy::indirect({"o", "c"}, "A");
  EXPECT_EQ(encode(add_object{"T", proxy}), (bytes{1, 1, 1, 'T', 14, 1, 'o', 1, 'c', 0, 0, 0, 1, 0, 1, 1, 0, 1, 'A'}));
  EXPECT_EQ(encode(set_adapter{"A", "G", {}}), (bytes{1, 4, 1, 'A', 1, 'G', 2, 0, 0}));
  EXPECT_EQ(encode(unset_adapter{"A"}), (bytes{1, 5, 1, 'A'}));
  const auto update = std::make_shared<IceGrid::ApplicationUpdateDescriptor>();
  update->name = "app";
  update->description = std::make_shared<IceGrid::BoxedString>("d");
  bytes expected{1, 9, 2, 0, 0, 0, 0, 0, 0, 0, 1, 'u'};
  const bytes descriptor{1, 3, 'a', 'p', 'p', 10, 1, 'd', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  expected.push_back(static_cast<std::uint8_t>(descriptor.size()));
  expected.insert(expected.end(), descriptor.begin(), descriptor.end());
  EXPECT_EQ(encode(update_application{{2, "u"}, update}), expected);
}

TEST(change, takes_names_of_any_kind) {
  for (const auto& name : {std::string{""}, std::string{" a b "}, std::string{"\"'/@\\"}, std::string{"\xe6\x97\xa5"},
                           std::string{"\0x", 2}, std::string(5'000, 'n')}) {
    const auto decoded = std::get<set_adapter>(decode(encode(set_adapter{name, name, {}})).value());
    EXPECT_EQ(decoded.id, name);
    EXPECT_EQ(decoded.replica_group, name);
  }
}

TEST(change, refuses_every_prefix_and_every_tail) {
  const auto encoded = encode(set_adapter{"id", "group", sample::direct({"name", ""}, 10)});
  for (std::size_t size = 0; size != encoded.size(); ++size) {
    const auto refused = decode(byte_view{encoded}.first(size));
    ASSERT_FALSE(refused) << "cut to " << size;
    EXPECT_EQ(refused.error().code, errc::corrupt);
  }
  auto longer = encoded;
  longer.push_back(0);
  EXPECT_FALSE(decode(longer));
}

TEST(change, names_a_version_or_a_kind_that_it_does_not_know) {
  auto encoded = encode(unset_adapter{"id"});
  auto other_kind = encoded;
  other_kind[1] = 99;
  EXPECT_EQ(decode(other_kind).error().code, errc::incompatible);
  encoded[0] = 2;
  EXPECT_EQ(decode(encoded).error().code, errc::incompatible);
}

TEST(change, refuses_a_proxy_that_is_none) {
  auto encoded = encode(update_object{sample::direct({"name", ""}, 10)});
  encoded[encoded.size() - 27] = 77;  // the endpoint's size
  encoded[encoded.size() - 24] = 77;
  EXPECT_EQ(decode(encoded).error().code, errc::corrupt);
}

RC_GTEST_PROP(change, reads_damaged_bytes_without_harm, ()) {
  auto damaged = encode(sample::any_change());
  damaged[*rc::gen::inRange<std::size_t>(2, damaged.size())] = *rc::gen::arbitrary<std::uint8_t>();
  const auto decoded = decode(damaged);
  if (decoded) RC_ASSERT(decode(encode(*decoded)).has_value());
}

RC_GTEST_PROP(change, reads_any_bytes_without_harm, (const bytes& content)) {
  const auto decoded = decode(content);
  RC_ASSERT((!decoded.has_value() || content.size() > 2));
}

TEST(change, is_described_in_one_line) {
  EXPECT_EQ(describe(add_object{"::T", sample::direct({"o", "c"}, 1)}),
            "add object `c/o' at 1 endpoint(s) of type `::T'");
  EXPECT_EQ(describe(update_object{encoded_proxy::indirect({"o", ""}, "A")}), "update object `o' @ `A'");
  EXPECT_EQ(describe(set_adapter{"A", "G", {}}), "register adapter `A' of replica group `G' as null");
  EXPECT_EQ(describe(remove_application{"app"}), "remove application `app'");
}

}  // namespace
}  // namespace muster::catalog

#include "muster/catalog/identity.hpp"

#include <gtest/gtest.h>

namespace muster::catalog {
namespace {

TEST(identity, is_written_with_its_category_in_front) {
  EXPECT_EQ(to_text({"name", ""}), "name");
  EXPECT_EQ(to_text({"name", "category"}), "category/name");
}

TEST(identity, is_written_with_escapes_where_it_would_be_misread) {
  EXPECT_EQ(to_text({"a/b\\c", "d\n\x01"}), "d\\n\\u0001/a\\/b\\\\c");
  EXPECT_EQ(to_text({"\xc3\xa9", ""}), "\xc3\xa9") << "letters of other scripts stay readable";
}

}  // namespace
}  // namespace muster::catalog

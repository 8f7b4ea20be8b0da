#include "muster/config/property_reference.hpp"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "muster/config/property_table.hpp"

namespace muster::config {
namespace {

TEST(property_reference, is_what_the_documentation_holds) {
  const std::string path = MUSTER_DOCS "/properties.md";
  if (std::getenv("MUSTER_REWRITE_EXPECTED") != nullptr) std::ofstream{path} << property_reference();
  std::ifstream file{path};
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), property_reference())
      << "rewrite it with: muster registry --list-properties > docs/properties.md";
}

TEST(property_reference, has_one_row_for_each_name) {
  std::set<std::string_view> names;
  for (const property_row& row : registry_properties()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " has two rows";
    EXPECT_EQ(find_property(row.name), &row) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    const bool is_missing = row.supported == support::without_effect || row.supported == support::refused;
    EXPECT_EQ(is_missing, !row.otherwise.empty()) << row.name << ": what happens has to be said";
  }
}

TEST(property_table, knows_the_suffixes_of_each_adapter_and_proxy) {
  EXPECT_NE(find_property("IceGrid.Registry.Discovery.ThreadPool.SizeMax"), nullptr);
  EXPECT_NE(find_property("IceGrid.Registry.AdminSSLPermissionsVerifier.Context.user"), nullptr);
  EXPECT_EQ(find_property("IceGrid.Registry.AdminSSLPermissionsVerifier.Context."), nullptr);
  EXPECT_EQ(find_property("IceGrid.Registry.Client"), nullptr);
  EXPECT_EQ(find_property("IceGrid.Registry.Client."), nullptr);
  EXPECT_EQ(find_property("IceGrid.Registry.Clients.Endpoints"), nullptr);
}

}  // namespace
}  // namespace muster::config

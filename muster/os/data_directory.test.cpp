#include "muster/os/data_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "muster/base/codec.hpp"
#include "muster/os/database_file.hpp"
#include "muster/os/lmdb_environment.hpp"
#include "muster/os/lmdb_step.hpp"
#include "muster/os/lmdb_store.hpp"
#include "tests/support/scratch_directory.hpp"

namespace muster::os {
namespace {

using tests::scratch_directory;

/// An LMDB database with empty tables of these names.
void make_tables(const std::filesystem::path& directory, const std::vector<const char*>& names) {
  auto env = lmdb::environment::open(directory, {.map_bytes = 1U << 20U});
  ASSERT_TRUE(env);
  lmdb::transaction txn;
  ASSERT_EQ(env->begin_write(txn), 0);
  for (const char* name : names) {
    MDB_dbi table = 0;
    ASSERT_EQ(mdb_dbi_open(txn.get(), name, MDB_CREATE, &table), 0);
  }
  ASSERT_EQ(txn.commit(), 0);
}

std::string refusal(const std::filesystem::path& path, errc code) {
  const auto taken = data_directory::take(path);
  if (taken) {
    return "it was taken";
  }
  EXPECT_EQ(taken.error().code, code);
  return taken.error().message;
}

TEST(data_directory, is_made_below_an_existing_parent) {
  const scratch_directory scratch;
  ASSERT_TRUE(data_directory::take(scratch.path() / "db"));
  EXPECT_TRUE(std::filesystem::is_directory(scratch.path() / "db"));
  ASSERT_TRUE(data_directory::take(scratch.path() / "with slash/"));
  EXPECT_EQ(refusal(scratch.path() / "missing" / "db", errc::invalid_argument),
            "cannot make the database directory '" + (scratch.path() / "missing" / "db").string() + "': its parent '" +
                (scratch.path() / "missing").string() + "' does not exist, make that first");
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "missing"));
}

TEST(data_directory, cannot_be_a_file) {
  const scratch_directory scratch;
  std::ofstream{scratch.path() / "db"} << "x";
  EXPECT_NE(refusal(scratch.path() / "db", errc::invalid_argument).find("is a file, where"), std::string::npos);
}

TEST(data_directory, has_one_owner_and_names_it_to_the_second) {
  const scratch_directory scratch;
  auto first = data_directory::take(scratch.path());
  ASSERT_TRUE(first);
  EXPECT_EQ(refusal(scratch.path(), errc::locked), "the database directory '" + scratch.path().string() +
                                                       "' is in use by process " + std::to_string(::getpid()) +
                                                       ": one directory serves one replica");
  first = fail(errc::not_found, "gone");
  EXPECT_TRUE(data_directory::take(scratch.path())) << "a lock file that its owner left is no lock";
}

TEST(data_directory, of_the_stock_registry_is_refused_and_left_as_it_is) {
  const scratch_directory scratch;
  make_tables(scratch.path(), {"adapters", "adaptersByReplicaGroupId", "applications", "internal-objects",
                               "internal-objectsByType", "objects", "objectsByType", "serials"});
  EXPECT_NE(refusal(scratch.path(), errc::incompatible).find("holds the database of a stock icegridregistry"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "muster.lock"));
  EXPECT_EQ(probe_database(scratch.path()).value().kind, database_kind::stock);
}

TEST(data_directory, of_another_program_is_refused) {
  const scratch_directory scratch;
  make_tables(scratch.path(), {"meta", "things"});
  EXPECT_NE(refusal(scratch.path(), errc::incompatible).find("an LMDB database of another program"), std::string::npos);
}

TEST(data_directory, with_a_data_file_that_is_no_database_is_refused) {
  const scratch_directory scratch;
  std::ofstream{scratch.path() / "data.mdb"} << std::string(100'000, 'x');
  EXPECT_NE(refusal(scratch.path(), errc::incompatible).find("is no LMDB database that this version reads"),
            std::string::npos);
}

TEST(data_directory, of_a_later_version_is_refused_with_both_formats) {
  const scratch_directory scratch;
  {
    auto taken = data_directory::take(scratch.path());
    ASSERT_TRUE(taken);
    ASSERT_TRUE(lmdb_store::open(*taken, {}));
    auto env = lmdb::environment::open(scratch.path(), {});
    ASSERT_TRUE(env);
    lmdb::transaction txn;
    ASSERT_EQ(env->begin_write(txn), 0);
    byte_writer later;
    later.string("muster registry");
    later.size(2);
    later.string("what only the later version knows");
    ASSERT_EQ(lmdb::put_meta(txn.get(), "format", std::move(later).take()), 0);
    ASSERT_EQ(txn.commit(), 0);
  }
  const std::string sentence = refusal(scratch.path(), errc::incompatible);
  EXPECT_NE(sentence.find("in format 2, made by a later version of muster: this one reads format 1"), std::string::npos)
      << sentence;
}

TEST(data_directory, with_a_shortened_database_is_refused) {
  const scratch_directory scratch;
  {
    auto taken = data_directory::take(scratch.path());
    ASSERT_TRUE(lmdb_store::open(*taken, {}));
  }
  std::filesystem::resize_file(scratch.path() / "data.mdb", 8192);
  EXPECT_NE(refusal(scratch.path(), errc::corrupt).find("has been cut short"), std::string::npos);
}

}  // namespace
}  // namespace muster::os

#include "muster/registry/replica_trace.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::registry {
namespace {

using replication::message;

bool is_shown(const message& what, int level) {
  return trace_of(what, traffic::sent, replication::peer_id{7}, level).has_value();
}

TEST(replica_trace, shows_attempts_from_level_2_on_and_keep_alives_at_level_3) {
  const std::vector<message> attempts{replication::open{}, replication::opened{}, replication::refused{},
                                      replication::closed{}};
  const std::vector<message> alive{replication::append{}, replication::appended{}};
  for (const auto& one : attempts) {
    EXPECT_FALSE(is_shown(one, 1)) << one.index();
    EXPECT_TRUE(is_shown(one, 2)) << one.index();
  }
  for (const auto& one : alive) {
    EXPECT_FALSE(is_shown(one, 2)) << one.index();
    EXPECT_TRUE(is_shown(one, 3)) << one.index();
  }
}

TEST(replica_trace, shows_no_changes) {
  replication::append some;
  some.entries.push_back({replication::serial{1}, replication::shared_bytes{bytes{1}}});
  EXPECT_FALSE(is_shown(some, 9));
  EXPECT_FALSE(is_shown(replication::snapshot_chunk{}, 9));
}

TEST(replica_trace, says_who_refuses_and_why) {
  replication::refused no;
  no.from.name = "Master";
  no.reason = replication::refusal::other_database;
  const auto line = trace_of(no, traffic::received, replication::peer_id{7}, 2);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->name, "replica_message_received");
  std::map<std::string_view, std::string> said;
  for (const auto& one : line->fields) said[one.key] = one.value;
  EXPECT_EQ(said["what"], "refuses a session");
  EXPECT_EQ(said["peer"], "7");
  EXPECT_EQ(said["replica"], "Master");
  EXPECT_EQ(said["reason"], to_string(replication::refusal::other_database));
}

}  // namespace
}  // namespace muster::registry

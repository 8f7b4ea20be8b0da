#include "muster/config/receptionist_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using action = receptionist_command_line::action;

receptionist_command_line parse(std::vector<std::string> arguments) {
  auto parsed = parse_receptionist_command_line("muster receptionist", arguments);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? *parsed : receptionist_command_line{};
}

std::string refusal_of(std::vector<std::string> arguments) {
  const auto parsed = parse_receptionist_command_line("muster receptionist", arguments);
  return parsed ? "not refused" : parsed.error().message;
}

TEST(receptionist_command_line, takes_name_endpoint_seeds_file_and_form) {
  const auto line = parse({"--name", "A", "--listen", "tcp -h 127.0.0.1 -p 4070", "--seed", "tcp -p 1",
                           "--seed=tcp -p 2", "--config", "shop.conf", "--json"});
  EXPECT_EQ(line.what, action::run);
  EXPECT_EQ(line.name, "A");
  EXPECT_EQ(line.listen, "tcp -h 127.0.0.1 -p 4070");
  EXPECT_THAT(line.seeds, ElementsAre("tcp -p 1", "tcp -p 2"));
  EXPECT_EQ(line.file, "shop.conf");
  EXPECT_TRUE(line.writes_json);
}

TEST(receptionist_command_line, tells_properties_by_their_dots) {
  EXPECT_THAT(parse({"--name", "A", "--IceSSL.CertFile=x", "--cluster.keep-majority"}).properties,
              ElementsAre(Pair("IceSSL.CertFile", "x"), Pair("cluster.keep-majority", "1")));
}

TEST(receptionist_command_line, puts_itself_over_what_files_say) {
  const property_map files{{"cluster.node-name", "F"}, {"cluster.seeds", "tcp -p 9"}, {"cluster.name", "shop"}};
  const auto all = complete_receptionist_properties(
      files, parse({"--name", "A", "--seed", "tcp -p 1", "--seed", "tcp -p 2", "--cluster.name=market"}));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(*all, ElementsAre(Pair("Muster.Log.Level", "warning"), Pair("cluster.name", "market"),
                                Pair("cluster.node-name", "A"), Pair("cluster.seeds", "tcp -p 1, tcp -p 2")));
  EXPECT_EQ(complete_receptionist_properties(files, parse({})).value().at("cluster.node-name"), "F");
}

TEST(receptionist_command_line, needs_a_name_from_somewhere) {
  const auto all = complete_receptionist_properties({}, parse({"--json"}));
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message,
            "--name (cluster.node-name) is not set; a node needs a name that no other node of its cluster has");
}

TEST(receptionist_command_line, refuses_a_property_that_nobody_would_read) {
  const auto all = complete_receptionist_properties({{"clustr.name", "shop"}}, parse({"--name", "A"}));
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message,
            "clustr.name is 'shop'; allowed are only properties below cluster, Ice and IceSSL, and Muster.Log.Level");
  EXPECT_TRUE(complete_receptionist_properties({{"IceSSL.CAs", "ca.pem"}, {"Ice.Trace.Network", "1"}},
                                               parse({"--name", "A", "--Muster.Log.Level=debug"})));
}

TEST(receptionist_command_line, takes_one_endpoint_for_each_seed) {
  const auto all = complete_receptionist_properties({}, parse({"--name", "A", "--seed", "tcp -p 1, tcp -p 2"}));
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message, HasSubstr("give --seed again for another one"));
}

TEST(receptionist_command_line, says_which_argument_does_not_fit) {
  EXPECT_EQ(refusal_of({"--nme", "A"}), "--nme: no such option; muster receptionist --help shows those there are");
  EXPECT_THAT(refusal_of({"register", "a", "b"}), HasSubstr("commands come on standard input"));
  EXPECT_THAT(refusal_of({"--name"}), HasSubstr("muster receptionist --help shows what is allowed"));
}

TEST(receptionist_command_line, explains_commands_and_how_to_begin) {
  EXPECT_EQ(parse({"--help"}).what, action::show_help);
  EXPECT_EQ(parse({"-v"}).what, action::show_version);
  const std::string text = receptionist_help("muster receptionist");
  for (const char* word : {"register KEY NAME", "--seed ENDPOINT", "muster receptionist --name A", "EXIT STATUS"}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
}

}  // namespace
}  // namespace muster::config

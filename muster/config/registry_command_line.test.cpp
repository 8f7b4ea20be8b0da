#include "muster/config/registry_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using action = registry_command_line::action;

result<registry_command_line> parse(std::vector<std::string> arguments) {
  return parse_registry_command_line("muster registry", arguments);
}

std::string refusal_of(std::vector<std::string> arguments) {
  const auto parsed = parse(std::move(arguments));
  return parsed ? "not refused" : parsed.error().message;
}

TEST(registry_command_line, keeps_properties_in_order_and_apart_from_options) {
  const auto line = parse({"--Ice.Config=a.cfg,b.cfg", "--nowarn", "--IceGrid.Registry.Client.Endpoints=tcp -p 1",
                           "--Ice.Trace.Network", "--IceGrid.InstanceName="});
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_THAT(line->properties,
              ElementsAre(Pair("Ice.Config", "a.cfg,b.cfg"), Pair("IceGrid.Registry.Client.Endpoints", "tcp -p 1"),
                          Pair("Ice.Trace.Network", "1"), Pair("IceGrid.InstanceName", "")));
  EXPECT_EQ(line->what, action::run);
  EXPECT_FALSE(line->start.warns_of_security);
}

TEST(registry_command_line, takes_the_options_of_icegridregistry) {
  const auto line = parse({"--readonly", "--daemon", "--pidfile", "/run/x.pid", "--noclose", "--nochdir", "--force"});
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_TRUE(line->start.read_only);
  EXPECT_TRUE(line->start.force);
  EXPECT_TRUE(line->daemon.wanted);
  EXPECT_EQ(line->daemon.pid_file, "/run/x.pid");
  EXPECT_TRUE(line->daemon.keeps_descriptors);
  EXPECT_FALSE(line->start.closes_descriptors);
  EXPECT_FALSE(line->start.leaves_directory);
}

TEST(registry_command_line, takes_the_replica_to_copy_from_in_both_forms) {
  EXPECT_EQ(parse({"--initdb-from-replica", "Replica 1"})->start.initialise_from_replica, "Replica 1");
  EXPECT_EQ(parse({"--initdb-from-replica=Replica 1"})->start.initialise_from_replica, "Replica 1");
  EXPECT_EQ(parse({})->start.initialise_from_replica, std::nullopt);
  EXPECT_THAT(refusal_of({"--initdb-from-replica"}), HasSubstr("--initdb-from-replica"));
}

TEST(registry_command_line, tells_a_daemon_from_a_process_on_a_terminal) {
  EXPECT_TRUE(parse({"--daemon"})->start.leaves_directory);
  EXPECT_TRUE(parse({"--daemon"})->start.closes_descriptors);
  EXPECT_EQ(refusal_of({"--pidfile", "x"}), "--pidfile: allowed only together with --daemon");
  EXPECT_EQ(refusal_of({"--noclose"}), "--noclose: allowed only together with --daemon");
  EXPECT_EQ(refusal_of({"--nochdir"}), "--nochdir: allowed only together with --daemon");
}

TEST(registry_command_line, shows_help_and_version_whatever_else_is_asked) {
  EXPECT_EQ(parse({"-h", "--nochdir"})->what, action::show_help);
  EXPECT_EQ(parse({"--help"})->what, action::show_help);
  EXPECT_EQ(parse({"-v"})->what, action::show_version);
  EXPECT_EQ(parse({"--version"})->what, action::show_version);
  EXPECT_EQ(parse({"--list-properties"})->what, action::list_properties);
}

TEST(registry_command_line, refuses_what_it_does_not_know) {
  EXPECT_EQ(refusal_of({"--forse"}), "--forse: no such option; muster registry --help shows those there are");
  EXPECT_EQ(refusal_of({"-x"}), "-x: no such option; muster registry --help shows those there are");
  EXPECT_THAT(refusal_of({"--Ice.Config", "grid.cfg"}), HasSubstr("grid.cfg: not expected here"));
  EXPECT_THAT(refusal_of({"--nowarn=maybe"}), HasSubstr("muster registry --help shows what is allowed"));
}

TEST(registry_command_line, helps_with_each_option_and_an_example) {
  const std::string help = registry_help("icegridregistry");
  for (const char* option : {"--help", "--version", "--nowarn", "--readonly", "--initdb-from-replica NAME", "--force",
                             "--daemon", "--pidfile FILE", "--noclose", "--nochdir", "--Ice.Config=FILE"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
  EXPECT_THAT(help, HasSubstr("    icegridregistry --IceGrid.Registry.ReplicaName=Replica1"));
}

}  // namespace
}  // namespace muster::config

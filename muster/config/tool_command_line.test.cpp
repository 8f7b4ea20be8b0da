#include "muster/config/tool_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

template <typename Command>
Command parse(std::vector<std::string> arguments) {
  auto parsed = parse_command_line(arguments);
  EXPECT_TRUE(parsed) << parsed.error().message;
  if (!parsed || !std::holds_alternative<Command>(*parsed)) {
    ADD_FAILURE() << "another command";
    return {};
  }
  return std::get<Command>(*parsed);
}

std::string refusal_of(std::vector<std::string> arguments) {
  const auto parsed = parse_command_line(arguments);
  return parsed ? "not refused" : parsed.error().message;
}

TEST(command_line, shows_an_overview_when_nothing_is_asked) {
  for (const char* word : {"registry", "receptionist", "db backup", "db diverged", "ping", "--version"}) {
    EXPECT_THAT(parse<show_text>({}).text, HasSubstr(word));
    EXPECT_THAT(parse<show_text>({"--help"}).text, HasSubstr(word));
  }
  EXPECT_THAT(parse<show_text>({"db"}).text, HasSubstr("restore FOLDER DATABASE"));
  (void)parse<show_version>({"-v"});
}

TEST(command_line, hands_the_registrys_arguments_on_as_they_are) {
  EXPECT_THAT(parse<run_registry>({"registry", "--help", "--Ice.Config=x"}).arguments,
              ElementsAre("--help", "--Ice.Config=x"));
}

TEST(command_line, hands_the_receptionists_arguments_on_as_they_are) {
  EXPECT_THAT(parse<run_receptionist>({"receptionist", "--name", "A"}).arguments, ElementsAre("--name", "A"));
}

TEST(command_line, takes_the_paths_of_each_database_verb) {
  EXPECT_EQ(parse<backup_database>({"db", "backup", "a", "b"}).folder, "b");
  EXPECT_EQ(parse<restore_database>({"db", "restore", "a", "b"}).database, "b");
  EXPECT_EQ(parse<show_database>({"db", "stat", "a"}).database, "a");
  EXPECT_EQ(parse<check_database>({"db", "check", "a"}).database, "a");
  EXPECT_FALSE(parse<show_diverged_tail>({"db", "diverged", "f"}).applies);
  const auto applied = parse<show_diverged_tail>({"db", "diverged", "--Ice.Default.Locator=x", "--apply", "f"});
  EXPECT_TRUE(applied.applies);
  EXPECT_EQ(applied.file, "f");
  EXPECT_THAT(applied.properties, ElementsAre(Pair("Ice.Default.Locator", "x")));
}

TEST(command_line, bounds_a_ping) {
  EXPECT_EQ(parse<ping_replica>({"ping", "--locator", "L:tcp -p 1"}).timeout, 5s);
  EXPECT_EQ(parse<ping_replica>({"ping", "--locator", "L:tcp -p 1", "--timeout", "0.5"}).timeout, 500ms);
  EXPECT_EQ(parse<ping_replica>({"ping", "--locator=L:tcp -p 1"}).locator, "L:tcp -p 1");
  EXPECT_EQ(refusal_of({"ping"}), "muster ping: --locator is required; muster ping --help explains it");
  EXPECT_THAT(refusal_of({"ping", "--locator", "x", "--timeout", "0"}), HasSubstr("--timeout"));
}

TEST(command_line, takes_properties_for_a_ping_and_a_locator_that_leads_somewhere) {
  EXPECT_THAT(parse<ping_replica>({"ping", "--IceSSL.CAs=x", "--locator", "L:ssl -p 1", "--Ice.Config=f"}).properties,
              ElementsAre(Pair("IceSSL.CAs", "x"), Pair("Ice.Config", "f")));
  EXPECT_EQ(refusal_of({"ping", "--locator", "a b"}),
            "muster ping: --locator 'a b': 'b' stands where an option of a proxy is expected; allowed are -f -e -p -t "
            "-o -O -d -D -s; allowed is <instance>/Locator:<endpoints>; muster ping --help explains it");
  EXPECT_THAT(refusal_of({"ping", "--locator", "X/Locator"}), HasSubstr("it has no endpoint; allowed is"));
}

TEST(command_line, explains_each_verb_with_an_example) {
  for (const char* verb : {"backup", "restore", "stat", "check", "diverged"}) {
    const std::string text = parse<show_text>({"db", verb, "--help"}).text;
    EXPECT_THAT(text, HasSubstr(std::string{"  muster db "} + verb)) << verb;
    EXPECT_THAT(text, HasSubstr("EXIT STATUS")) << verb;
  }
  EXPECT_THAT(parse<show_text>({"ping", "-h"}).text, HasSubstr("  muster ping --locator"));
  for (const auto& arguments : std::vector<std::vector<std::string>>{{}, {"db"}, {"ping", "-h"}}) {
    EXPECT_THAT(parse<show_text>(arguments).text, HasSubstr("2 wrong usage"));
  }
}

TEST(command_line, says_what_is_missing_or_too_much) {
  EXPECT_EQ(refusal_of({"serve"}),
            "muster serve: no such verb; allowed are registry, receptionist, db and ping; see muster --help");
  EXPECT_THAT(refusal_of({"db", "drop"}), HasSubstr("muster db drop: no such verb"));
  EXPECT_EQ(refusal_of({"db", "backup", "a"}),
            "muster db backup: FOLDER is required; muster db backup --help explains it");
  EXPECT_THAT(refusal_of({"db", "stat", "a", "b"}), HasSubstr("muster db stat --help explains it"));
}

}  // namespace
}  // namespace muster::config

#include "apps/receptionist/console_command.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/config/receptionist_command_line.hpp"

namespace muster::apps {
namespace {

using ::testing::HasSubstr;

template <typename Command>
Command parse(std::string_view line) {
  auto parsed = parse_console_command(line);
  EXPECT_TRUE(parsed) << parsed.error().message;
  if (!parsed || !*parsed || !std::holds_alternative<Command>(**parsed)) {
    ADD_FAILURE() << "another command: " << line;
    return {};
  }
  return std::get<Command>(**parsed);
}

std::string refusal_of(std::string_view line) {
  const auto parsed = parse_console_command(line);
  return parsed ? "not refused" : parsed.error().message;
}

TEST(console_command, names_a_key_and_an_actor) {
  const auto asked = parse<register_actor>("register printer laser");
  EXPECT_EQ(asked.key, "printer");
  EXPECT_EQ(asked.name, "laser");
  EXPECT_FALSE(asked.keeps) << "a registration ends with its actor unless told otherwise";
  EXPECT_TRUE(parse<register_actor>("  register\tprinter laser --keep \r").keeps);
  EXPECT_EQ(parse<deregister_actor>("deregister printer laser").name, "laser");
  EXPECT_EQ(parse<stop_actor>("stop laser").name, "laser");
}

TEST(console_command, asks_by_key) {
  EXPECT_EQ(parse<find_key>("find k").key, "k");
  EXPECT_EQ(parse<subscribe_key>("subscribe k").key, "k");
  EXPECT_EQ(parse<unsubscribe_key>("unsubscribe k").key, "k");
  EXPECT_EQ(parse<watch_key>("watch k").key, "k");
}

TEST(console_command, subscribes_the_console_or_an_actor_by_name) {
  EXPECT_EQ(parse<subscribe_key>("subscribe k").name, std::nullopt);
  EXPECT_EQ(parse<subscribe_key>("subscribe k laser").name, "laser");
  EXPECT_EQ(parse<unsubscribe_key>("unsubscribe k").name, std::nullopt);
  EXPECT_EQ(parse<unsubscribe_key>("unsubscribe k laser").name, "laser");
  EXPECT_EQ(refusal_of("subscribe k laser ink"), "subscribe: too much is given; it is written: subscribe KEY [NAME]");
}

TEST(console_command, shows_all_keys_or_those_that_begin_alike) {
  EXPECT_EQ(parse<show_keys>("keys").prefix, "");
  EXPECT_EQ(parse<show_keys>("keys prin").prefix, "prin");
}

TEST(console_command, may_be_a_single_word) {
  (void)parse<show_members>("members");
  (void)parse<show_stats>("stats");
  (void)parse<leave_cluster>("leave");
  (void)parse<quit_console>("quit");
  (void)parse<show_commands>("help");
}

TEST(console_command, takes_keys_with_blanks_and_any_character_in_quotes) {
  EXPECT_EQ(parse<find_key>(R"(find "third floor: \"big\" \u00e9")").key, "third floor: \"big\" \xc3\xa9");
  EXPECT_EQ(parse<find_key>("find caf\xc3\xa9").key, "caf\xc3\xa9");
  EXPECT_EQ(parse<find_key>(R"(find "")").key, "") << "what a key may be is the receptionist's to say";
}

TEST(console_command, sends_the_rest_of_the_line) {
  EXPECT_EQ(parse<send_text>("send k  hello,  whoever \"you\" are ").text, "hello,  whoever \"you\" are");
  EXPECT_EQ(parse<send_text>(R"(send "a key" " two\nlines " )").text, " two\nlines ");
  EXPECT_EQ(parse<send_text>(R"(send "a key" x)").key, "a key");
}

TEST(console_command, is_not_found_in_empty_lines_and_comments) {
  for (const char* line : {"", "  \t", "# register a b", "  # x"}) {
    const auto parsed = parse_console_command(line);
    ASSERT_TRUE(parsed) << line;
    EXPECT_FALSE(parsed->has_value()) << line;
  }
}

TEST(console_command, says_what_does_not_fit_and_how_it_is_written) {
  EXPECT_EQ(refusal_of("regster a b"),
            "'regster' is no command; allowed are register, deregister, stop, find, subscribe, unsubscribe, send, "
            "watch, keys, members, stats, leave, quit and help");
  EXPECT_EQ(refusal_of("register a"), "register: too little is given; it is written: register KEY NAME [--keep]");
  EXPECT_EQ(refusal_of("members all"), "members: too much is given; it is written: members");
  EXPECT_EQ(refusal_of("register a b --for-ever"),
            "register: '--for-ever' is not known after the name; allowed is --keep");
  EXPECT_EQ(refusal_of("send k"), "send: too little is given; it is written: send KEY TEXT");
  EXPECT_THAT(refusal_of("find \"a"), HasSubstr("column 6: this text is not closed"));
  EXPECT_THAT(refusal_of("find a\"b"), HasSubstr("column 7: a quote within a word"));
  EXPECT_THAT(refusal_of("find \"a\"b"), HasSubstr("column 9: a blank has to follow"));
  EXPECT_THAT(refusal_of("send k \"a\" b"), HasSubstr("column 12: nothing may follow"));
  EXPECT_EQ(refusal_of("find \xff"), "byte 6 of the line is not UTF-8; a line has to be");
  EXPECT_EQ(refusal_of(std::string_view{"find a\0b", 8}), "byte 7 of the line is zero; any other character is allowed");
}

TEST(console_command, lists_all_commands_in_its_help) {
  for (const char* usage : {"register KEY NAME [--keep]", "send KEY TEXT", "quit", "help"}) {
    EXPECT_THAT(std::string{console_commands_text()}, HasSubstr(usage));
  }
}

TEST(console_command, is_in_the_help_of_the_verb_too) {
  const std::string help = config::receptionist_help("muster receptionist");
  std::istringstream lines{std::string{console_commands_text()}};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(help, HasSubstr("\n  " + line.substr(0, line.find("  ")) + " "));
  }
}

RC_GTEST_PROP(console_command, takes_or_refuses_any_line_without_harm, ()) {
  const auto piece = rc::gen::element<std::string>("register", "send", "find", " ", "\"", "\\", "a", "#", "\t",
                                                   "\xc3\xa9", "\xff", "--keep");
  std::string line;
  for (const auto& one : *rc::gen::container<std::vector<std::string>>(piece)) line += one;
  const auto parsed = parse_console_command(line);
  RC_ASSERT((parsed || !parsed.error().message.empty()));
}

}  // namespace
}  // namespace muster::apps

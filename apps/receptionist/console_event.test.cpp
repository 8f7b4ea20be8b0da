#include "apps/receptionist/console_event.hpp"

#include <array>
#include <chrono>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace muster::apps {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

const actor_address laser{.node = {"A", node_incarnation{18'000'000'000'000'000'000U}},
                          .path = "/user/laser",
                          .incarnation = actor_incarnation{7}};

console_event listing() {
  console_event out{"listing", {}};
  out.fields["key"] = to_json_text("third floor");
  out.fields["refs"] = json::array{to_json(laser)};
  out.fields["all_refs"] = json::array{to_json(laser)};
  return out;
}

TEST(console_event, is_one_json_object_with_its_name_first_and_its_time_last) {
  constexpr const char* ref =
      R"({"node":"A","node_incarnation":"18000000000000000000","path":"/user/laser","incarnation":"7"})";
  EXPECT_EQ(
      to_json_line(listing(), instant{1234567us}),
      fmt::format(R"({{"event":"listing","key":"third floor","refs":[{0}],"all_refs":[{0}],"t_us":1234567}})", ref));
}

TEST(console_event, is_a_short_line_for_people) {
  EXPECT_EQ(to_people_line(listing(), instant{3s}, {.began = instant{1s - 42us}}),
            R"(   2.000042  listing      key="third floor" refs=[A/user/laser] all_refs=[A/user/laser])");
}

TEST(console_event, names_the_type_of_a_ref_in_a_listing_for_people_too) {
  json::object named = to_json(laser);
  named["type"] = "shop.till";
  json::object odd = to_json(laser);
  odd["type"] = to_json_text("a\nb");
  json::object plain = to_json(laser);
  plain["type"] = "";
  EXPECT_EQ(to_people_line({"listing", {{"refs", json::array{named, odd, plain}}}}, instant{}, {}),
            R"(   0.000000  listing      refs=[A/user/laser(shop.till) A/user/laser("a\nb") A/user/laser])");
}

TEST(console_event, has_colours_only_where_asked) {
  const console_event error{"error", {{"sentence", "what a pity"}}};
  EXPECT_EQ(to_people_line(error, instant{}, {}), R"(   0.000000  error        sentence="what a pity")");
  EXPECT_EQ(to_people_line(error, instant{}, {.has_colours = true}),
            "   0.000000  \x1b[31merror       \x1b[0m sentence=\"what a pity\"");
}

TEST(console_event, shows_members_by_name_and_status_and_help_as_it_is) {
  json::object member;
  member["status"] = "unreachable";
  member["node"] = "B";
  member["address"] = "tcp -h x";
  EXPECT_EQ(to_people_line({"members", {{"members", json::array{member}}}}, instant{}, {}),
            "   0.000000  members      members=[B(unreachable)]");
  EXPECT_EQ(to_people_line({"help", {{"text", "one\ntwo\n"}, {"line", 1}}}, instant{}, {}),
            "   0.000000  help        \none\ntwo\n");
}

TEST(console_event, lets_no_text_of_others_break_the_line_or_the_terminal) {
  const console_event received{"received", {{"text", to_json_text("a\nb\x1b[2Jc \xff")}}};
  const auto for_people = to_people_line(received, instant{}, {});
  EXPECT_EQ(for_people.find('\n'), std::string::npos);
  EXPECT_EQ(for_people.find('\x1b'), std::string::npos);
  EXPECT_EQ(to_json_line(received, instant{}),
            "{\"event\":\"received\",\"text\":\"a\\nb\\u001b[2Jc \xef\xbf\xbd\",\"t_us\":0}");
}

RC_GTEST_PROP(console_event, is_json_whatever_is_in_it, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto line = to_json_line({"received", {{"text", to_json_text(text)}}}, instant{});
  RC_ASSERT(line.find('\n') == std::string::npos);
  RC_ASSERT(json::parse(line).as_object().contains("text"));
}

}  // namespace
}  // namespace muster::apps

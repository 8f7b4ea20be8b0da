#include "muster/config/hocon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

property_map read(std::string_view text) {
  auto got = read_hocon(text, "shop.conf");
  EXPECT_TRUE(got) << got.error().message;
  return got ? *std::move(got) : property_map{};
}

std::string refusal_of(std::string_view text, const hocon_bounds& bounds = {}) {
  const auto got = read_hocon(text, "shop.conf", bounds);
  EXPECT_TRUE(got || got.error().code == errc::invalid_argument);
  return got ? "not refused" : got.error().message;
}

TEST(hocon, gives_values_by_their_full_names_nested_or_dotted) {
  const auto expected = ElementsAre(Pair("cluster.name", "shop"), Pair("cluster.receptionist.gossip-interval", "1s"));
  EXPECT_THAT(read("cluster { name = shop\n receptionist { gossip-interval = 1s } }"), expected);
  EXPECT_THAT(read("cluster.name = shop\ncluster.receptionist.gossip-interval = 1s"), expected);
  EXPECT_THAT(read("cluster { receptionist.gossip-interval = 1s, name: shop }"), expected);
  EXPECT_THAT(read("{ cluster: { name: shop }\n cluster.receptionist { gossip-interval: 1s } }"), expected);
}

TEST(hocon, contains_json) {
  const auto got = read(R"({
  "cluster" : {
    "name": "sh\u00f6p \ud83d\ude00 \"\\\/\b\f\n\r\t",
    "seeds" : [ "tcp -h a -p 4070" , "tcp -h b -p 4070" ],
    "keep-majority" : true
  },
  "cluster.receptionist.max-subscribers-total":1000, "number": -1.5e+3, "none": null, "list": [], "object": {}
})");
  EXPECT_THAT(got, ElementsAre(Pair("cluster.keep-majority", "true"),
                               Pair("cluster.name", "sh\xc3\xb6p \xf0\x9f\x98\x80 \"\\/\b\f\n\r\t"),
                               Pair("cluster.receptionist.max-subscribers-total", "1000"),
                               Pair("cluster.seeds", "tcp -h a -p 4070, tcp -h b -p 4070"), Pair("list", ""),
                               Pair("none", ""), Pair("number", "-1.5e+3")));
}

TEST(hocon, reads_the_example_of_its_documentation) {
  const auto got = read(R"(# A node of the shop's cluster.
cluster {
  name = shop
  seeds = [
    "tcp -h 10.0.0.1 -p 4070"   // the first two are enough to find the others
    "tcp -h 10.0.0.2 -p 4070"
  ]
  removal-timeout = 30 seconds
  receptionist.max-subscribers-per-key = 500
}
"IceSSL.DefaultDir" = "/etc/muster/tls"
)");
  EXPECT_THAT(got, ElementsAre(Pair("IceSSL.DefaultDir", "/etc/muster/tls"), Pair("cluster.name", "shop"),
                               Pair("cluster.receptionist.max-subscribers-per-key", "500"),
                               Pair("cluster.removal-timeout", "30 seconds"),
                               Pair("cluster.seeds", "tcp -h 10.0.0.1 -p 4070, tcp -h 10.0.0.2 -p 4070")));
}

TEST(hocon, passes_over_comments_blank_lines_and_a_byte_order_mark) {
  EXPECT_THAT(read(""), IsEmpty());
  EXPECT_THAT(read("\xef\xbb\xbf \t\r\n # one\n // two\n"), IsEmpty());
  EXPECT_THAT(read("a = 1 # one\r\nb = 2// two\r\n"), ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST(hocon, separates_by_commas_or_lines_and_allows_one_comma_at_the_end) {
  EXPECT_THAT(read("{a=1,b=2\nc=3\n,d=4,}"),
              ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3"), Pair("d", "4")));
  EXPECT_THAT(read("a = [1, two\n3\n, \"four\",]"), ElementsAre(Pair("a", "1, two, 3, four")));
  EXPECT_THAT(read("a\n:\n1"), ElementsAre(Pair("a", "1")));
}

TEST(hocon, lets_the_later_value_count_and_merges_objects) {
  EXPECT_THAT(read("a = 1\na = 2"), ElementsAre(Pair("a", "2")));
  EXPECT_THAT(read("a { b = 1, c = 2 }\na { c = 3 }"), ElementsAre(Pair("a.b", "1"), Pair("a.c", "3")));
  EXPECT_THAT(read("a { b = 1 }\na = 2"), ElementsAre(Pair("a", "2")));
  EXPECT_THAT(read("a = 1\na { b = 2 }"), ElementsAre(Pair("a.b", "2")));
  EXPECT_THAT(read("a.b = 1\na.b.c.d = 2"), ElementsAre(Pair("a.b.c.d", "2")));
  EXPECT_THAT(read("a = 1\na {}"), IsEmpty());
  EXPECT_THAT(read("a-b = 1\na { c = 2 }\na = null"), ElementsAre(Pair("a", ""), Pair("a-b", "1")));
}

TEST(hocon, keeps_words_numbers_and_durations_as_they_are_written) {
  EXPECT_THAT(read("a = on\nb = 007\nc = 10 s\nd = 1.5\tminutes\ne = /var/lib/x-1.log\nf = 127.0.0.1\ng = 5 # m\n"),
              ElementsAre(Pair("a", "on"), Pair("b", "007"), Pair("c", "10 s"), Pair("d", "1.5 minutes"),
                          Pair("e", "/var/lib/x-1.log"), Pair("f", "127.0.0.1"), Pair("g", "5")));
}

TEST(hocon, takes_a_dot_in_a_quoted_name_for_a_dot) {
  EXPECT_THAT(read(R"("a.b" = 1, "c d".e = 2)"), ElementsAre(Pair("a.b", "1"), Pair("c d.e", "2")));
}

struct refusal {
  const char* text;
  const char* place;
  const char* sentence;
};

TEST(hocon, refuses_everything_else_by_line_and_column_and_says_what_is_allowed) {
  const refusal all[] = {
      {"include \"other.conf\"", "line 1, column 1", "'include' is not supported; write everything into one file"},
      {"a = 1\n  include required(file(\"x\"))", "line 2, column 3", "'include' is not supported"},
      {"a = ${b}", "line 1, column 5", "substitutions (${...}) are not supported"},
      {"a = x ${b}", "line 1, column 7", "substitutions"},
      {"${a} = 1", "line 1, column 1", "substitutions"},
      {"a = [${b}]", "line 1, column 6", "substitutions"},
      {"a += 1", "line 1, column 3", "'+=' is not supported; write the whole list"},
      {"a = one two", "line 1, column 9", "values are not joined to one here: write one text in quotes"},
      {"a = \"one\" \"two\"", "line 1, column 11", "values are not joined"},
      {"a = {b=1} {c=2}", "line 1, column 11", "values are not joined"},
      {"a = [1] [2]", "line 1, column 9", "values are not joined"},
      {"a = [one two]", "line 1, column 10", "values are not joined"},
      {"a = 10 parsecs", "line 1, column 8", "'parsecs' follows a number and is no unit of time; allowed are ns"},
      {"a = \"\"\"b\"\"\"", "line 1, column 5", "triple quotes are not supported"},
      {"a = \"b\n\"", "line 1, column 5", "not closed; the second quote has to stand on the same line"},
      {"a = \"b", "line 1, column 5", "not closed"},
      {"a = \"\\x\"", "line 1, column 6", "this escape is not known; allowed are \\\" \\\\"},
      {"a = \"\\ud800\"", "line 1, column 6", "this escape is no character"},
      {"a = \"\\udc00\"", "line 1, column 6", "this escape is no character"},
      {"a = \"\\u0000\"", "line 1, column 6", "not 0000"},
      {"a = \"\\u12g4\"", "line 1, column 6", "four hexadecimal digits"},
      {"a = \"\t\"", "line 1, column 6", "control character U+0009"},
      {"[1, 2]", "line 1, column 1", "the whole is a list; it has to be an object"},
      {"a = [[1]]", "line 1, column 6", "no objects and no lists"},
      {"a = [{b=1}]", "line 1, column 6", "no objects and no lists"},
      {"a = [\"b,c\"]", "line 1, column 6", "neither be empty nor have a comma"},
      {"a = [\"\"]", "line 1, column 6", "neither be empty"},
      {"a = [1", "line 1, column 5", "this '[' is not closed"},
      {"a = [1}", "line 1, column 7", "'}' may not stand here"},
      {"a {\n b = 1", "line 1, column 3", "this '{' is not closed"},
      {"a = 1 }", "line 1, column 7", "a '}' without a '{'"},
      {"{a = 1} b = 2", "line 1, column 9", "nothing may"},
      {"a =", "line 1, column 4", "the value of 'a' is missing"},
      {"{a = , b = 1}", "line 1, column 6", "the value of 'a' is missing"},
      {"a = 1,, b = 2", "line 1, column 7", "one between two values is enough"},
      {", a = 1", "line 1, column 1", "a comma has no value before it"},
      {"a", "line 1, column 2", "the end follows the name 'a'; allowed are '=', ':' and '{'"},
      {"a b = 1", "line 1, column 3", "a name has a blank within"},
      {"a. b = 1", "line 1, column 3", "' ' may not stand here; a name is letters"},
      {".a = 1", "line 1, column 1", "'.' may not stand here"},
      {"a..b = 1", "line 1, column 3", "'.' may not stand here"},
      {"\"\" = 1", "line 1, column 1", "a name is empty"},
      {"a = \xc3\xa4", "line 1, column 5", "'\xc3\xa4' may not stand here"},
      {"a = \"\xc3\xa4\" b", "line 1, column 9", "followed by 'b'"},
      {"a = @b", "line 1, column 5", "'@' may not stand here; without quotes a value is one word"},
      {"a = \x01", "line 1, column 5", "the character U+0001"},
      {"b = 1\na = \"\xff\"", "line 2, column 6", "not UTF-8"},
  };
  for (const auto& [text, place, sentence] : all) {
    const std::string got = refusal_of(text);
    EXPECT_THAT(got, StartsWith(std::string{"shop.conf, "} + place + ": ")) << text;
    EXPECT_THAT(got, HasSubstr(sentence)) << text;
  }
}

TEST(hocon, allows_names_that_only_begin_like_an_include) {
  EXPECT_THAT(read("include = 1\nincluded = 2\ninclude.x = 3"),
              ElementsAre(Pair("include.x", "3"), Pair("included", "2")));
}

TEST(hocon, bounds_the_text_the_depth_and_the_number_of_values) {
  EXPECT_EQ(refusal_of("a = 1", {.text_bytes_max = 4}), "shop.conf has 5 bytes; a configuration may have 4");
  EXPECT_THAT(refusal_of("a.b { c = 1 }", {.depth_max = 2}), HasSubstr("line 1, column 7: more than 2 objects"));
  EXPECT_THAT(refusal_of("a = 1, b = 2", {.values_max = 1}), HasSubstr("more than 1 values"));
  EXPECT_THAT(refusal_of(std::string(1'000'000, '{')), HasSubstr("may not stand here"));
  std::string deep;
  for (int count = 0; count < 100'000; ++count) deep += "a{";
  EXPECT_THAT(refusal_of(deep), HasSubstr("more than 32 objects"));
}

/// Writes names and values in one of the ways in which they may be written.
class scribe {
 public:
  std::string write(const property_map& values) {
    std::string out;
    for (const auto& [name, value] : values) out += member(name, quoted(value));
    const bool in_braces = *rc::gen::arbitrary<bool>();
    return in_braces ? "{" + out + "}" : out;
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char one : text) {
      if (one == '"' || one == '\\') out += '\\';
      out += one;
    }
    return out + '"';
  }
  static std::string blank() {
    return *rc::gen::element<std::string>("", " ", "\t", "\n", " # a comment\n", "// another\r\n");
  }
  static std::string member(const std::string& name, const std::string& value) {
    const auto dot = name.find('.');
    const bool nests = dot != std::string::npos && *rc::gen::arbitrary<bool>();
    if (nests) {
      return blank() + name.substr(0, dot) + blank() + "{" + member(name.substr(dot + 1), value) + "}" + end();
    }
    const std::string written = *rc::gen::arbitrary<bool>() ? quoted(name) : name;
    return blank() + written + blank() + *rc::gen::element<std::string>(":", "=") + blank() + value + end();
  }
  static std::string end() { return *rc::gen::element<std::string>(",", "\n", " \n", " # end\n", "\n,"); }
};

RC_GTEST_PROP(hocon, reads_the_same_values_in_whatever_way_they_are_written, ()) {
  const auto part = rc::gen::element<std::string>("a", "b-c", "d_1", "42", "include");
  const auto value = rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange<char>('!', '~'), rc::gen::element(' ', '"', '\\', '$', '{', '#')));
  property_map values;
  for (const auto& name : *rc::gen::container<std::vector<std::vector<std::string>>>(
           rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(part)))) {
    std::string joined;
    for (const auto& one : name) joined += (joined.empty() ? "" : ".") + one;
    // No name begins another one, so that all of them stay.
    values.insert_or_assign(joined + ".end", *value);
  }
  std::erase_if(values, [](const auto& one) { return std::count(one.first.begin(), one.first.end(), '.') > 20; });
  const std::string text = scribe{}.write(values);
  const auto got = read_hocon(text, "x");
  RC_LOG() << text;
  RC_ASSERT(got.has_value());
  RC_ASSERT(*got == values);
}

RC_GTEST_PROP(hocon, takes_or_refuses_any_text_without_harm, ()) {
  const auto piece =
      rc::gen::element<std::string>("a", ".", "=", ":", "{", "}", "[", "]", ",", "\n", " ", "\"", "\\", "$", "#", "//",
                                    "+=", "1", "s", "include", "null", "\xc3\xa4", "\xff");
  std::string text;
  for (const auto& one : *rc::gen::container<std::vector<std::string>>(piece)) text += one;
  const auto got = read_hocon(text, "x");
  RC_ASSERT((got || got.error().message.starts_with("x, line ")));
}

}  // namespace
}  // namespace muster::config

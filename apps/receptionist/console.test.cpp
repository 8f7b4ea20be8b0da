#include "apps/receptionist/console.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include "muster/cluster/test_cluster.hpp"

namespace muster::apps {
namespace {

using cluster::testing::milliseconds;
using cluster::testing::seconds;
using cluster::testing::test_cluster;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace json = boost::json;

/// Keeps what it is given, for as long as the test lets it.
class kept_sink final : public event_sink {
 public:
  bool write(const console_event& what, instant now) override {
    if (!has_room) return false;
    events.push_back(json::parse(to_json_line(what, now)).as_object());
    return true;
  }
  [[nodiscard]] bool is_drained() const override { return drained; }

  bool has_room{true};
  bool drained{true};
  std::vector<json::object> events;
};

std::string text_of(const json::object& event, std::string_view field) {
  return json::value_to<std::string>(event.at(json::string_view{field.data(), field.size()}));
}

/// What docs/guide-receptionist-command.md says of events: the words in the marks of code.
struct events_page {
  std::map<std::string, std::set<std::string>> fields;  ///< by event; fields within fields and named values among them
  std::set<std::string> of_a_ref;

  static std::set<std::string> code_in(std::string_view text) {
    std::set<std::string> out;
    for (std::size_t begin; (begin = text.find('`')) != std::string_view::npos;) {
      text.remove_prefix(begin + 1);
      const std::size_t end = text.find('`');
      out.emplace(text.substr(0, end));
      text.remove_prefix(std::min(end, text.size() - 1) + 1);
    }
    return out;
  }
  static const events_page& get() {
    static const events_page page = [] {
      events_page out;
      std::ifstream file{MUSTER_DOCS "/guide-receptionist-command.md"};
      bool is_of_events = false;
      for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## ")) is_of_events = line == "## Events";
        if (line.starts_with("A **ref** is ")) out.of_a_ref = code_in(line);
        if (!is_of_events || !line.starts_with("| `")) continue;
        const std::size_t names_end = line.find('|', 1);
        const std::size_t fields_end = line.find('|', names_end + 1);
        for (const auto& name : code_in(std::string_view{line}.substr(0, names_end))) {
          const bool is_new =
              out.fields.emplace(name, code_in(std::string_view{line}.substr(names_end, fields_end - names_end)))
                  .second;
          EXPECT_TRUE(is_new) << name << " has two rows";
        }
      }
      return out;
    }();
    return page;
  }
};

/// The names of fields, and of fields within them. What makes a ref is told of once for all.
void collect_fields(const json::value& of, std::set<std::string>& into) {
  if (const auto* array = of.if_array()) {
    for (const auto& one : *array) collect_fields(one, into);
  }
  const auto* object = of.if_object();
  if (object == nullptr) return;
  std::set<std::string> names;
  for (const auto& field : *object) names.emplace(field.key_c_str());
  if (names.contains("path")) {
    if (names.erase("type") == 1) into.insert("type");
    EXPECT_EQ(names, events_page::get().of_a_ref);
    return;
  }
  into.merge(names);
  for (const auto& field : *object) collect_fields(field.value(), into);
}
std::set<std::string> fields_of(json::object event) {
  EXPECT_TRUE(event.erase("event") == 1 && event.erase("t_us") == 1) << "every event has both";
  std::set<std::string> out;
  collect_fields(event, out);
  return out;
}

template <typename Enum>
std::set<std::string> values_of() {
  std::set<std::string> out;
  for (std::uint8_t value = 0; to_string(Enum{value}) != "unknown"; ++value) out.emplace(to_string(Enum{value}));
  return out;
}

/// What services of other programs take.
struct order {
  static constexpr std::string_view message_name = "shop.order";
  int number{0};
};
const service_key<order> order_key{"k"};

/// A node in a cluster of tests, with a console that the test types to.
class at_a_console : public ::testing::Test {
 protected:
  at_a_console() { open(); }

  void open(const receptionist::options& how = {}) {
    c_.start("A");
    desk_.emplace(receptionist::start(c_.system("A"), c_.at("A").handle, how));
    const std::shared_ptr<const console_options> options{
        new console_options{.system = c_.system("A"),
                            .desk = *desk_,
                            .node = c_.at("A").handle,
                            .out = out_,
                            .on_end = [this](console_end end) { end_ = std::move(end); }}};
    console_ = c_.system("A").spawn_system<console>("console", options);
    c_.run(seconds{1});
  }
  void reopen(const receptionist::options& how) {
    c_.kill("A");
    out_->events.clear();
    open(how);
  }

  /// Whatever a test makes the console show is to be found in the page about it.
  void TearDown() override {
    for (const auto& event : out_->events) {
      const auto& page = events_page::get().fields;
      const auto row = page.find(text_of(event, "event"));
      ASSERT_NE(row, page.end()) << text_of(event, "event");
      for (const auto& field : fields_of(event)) EXPECT_TRUE(row->second.contains(field)) << row->first << ' ' << field;
    }
  }

  void type(const std::string& line) { type_at_once({line}); }
  void type_at_once(const std::vector<std::string>& lines) {
    for (const auto& line : lines) console_.tell(console_message{console_line{++lines_, line, false, nullptr}});
    c_.run(milliseconds{20});
  }
  /// A service of another message type on this node, as a program would have it.
  actor_ref<order> start_shop() {
    auto made = c_.system("A").spawn<order>("shop", [this](const order&) { ++orders_; });
    desk_->tell(receptionist::register_{order_key, made}.while_alive());
    c_.run(milliseconds{20});
    return made;
  }
  [[nodiscard]] std::vector<json::object> all(std::string_view event) const {
    std::vector<json::object> out;
    std::ranges::copy_if(out_->events, std::back_inserter(out),
                         [&](const json::object& one) { return text_of(one, "event") == event; });
    return out;
  }
  [[nodiscard]] json::object last(std::string_view event) const {
    const auto found = all(event);
    EXPECT_FALSE(found.empty()) << event << " was not shown";
    return found.empty() ? json::object{} : found.back();
  }
  [[nodiscard]] std::vector<std::string> refs_of(const json::object& event, std::string_view field = "refs") const {
    std::vector<std::string> out;
    for (const auto& ref : event.at(json::string_view{field.data(), field.size()}).as_array()) {
      out.push_back(text_of(ref.as_object(), "node") + text_of(ref.as_object(), "path"));
    }
    return out;
  }

  test_cluster c_;
  const std::shared_ptr<kept_sink> out_{std::make_shared<kept_sink>()};
  actor_ref<console_message> console_;
  std::optional<receptionist::handle> desk_;
  std::optional<console_end> end_;
  std::size_t lines_{0};
  std::size_t orders_{0};
};

/// `path:type`
std::vector<std::string> typed_refs_of(const json::object& event) {
  std::vector<std::string> out;
  for (const auto& ref : event.at("refs").as_array()) {
    out.push_back(text_of(ref.as_object(), "path") + ":" + text_of(ref.as_object(), "type"));
  }
  return out;
}

TEST_F(at_a_console, the_node_is_shown_to_start_and_to_join) {
  ASSERT_GE(out_->events.size(), 2U);
  EXPECT_EQ(text_of(out_->events[0], "event"), "started");
  EXPECT_EQ(text_of(out_->events[0], "address"), "at-A");
  EXPECT_EQ(text_of(last("joined"), "node"), "A");
}

TEST_F(at_a_console, an_actor_is_made_registered_found_and_taken_back) {
  type("register printer laser");
  EXPECT_EQ(text_of(last("registered"), "key"), "printer");
  type("find printer");
  const auto found = last("listing");
  EXPECT_EQ(text_of(found, "answers"), "find");
  EXPECT_EQ(found.at("line").as_int64(), 2);
  EXPECT_THAT(refs_of(found), ElementsAre("A/user/laser"));
  type("deregister printer laser");
  EXPECT_EQ(text_of(last("deregistered").at("ref").as_object(), "path"), "/user/laser");
  type("find printer");
  EXPECT_THAT(refs_of(last("listing")), ElementsAre());
}

TEST_F(at_a_console, a_subscription_shows_each_change_until_it_ends) {
  type("subscribe k");
  EXPECT_EQ(text_of(last("listing"), "answers"), "subscribe");
  type("register k one");
  type("register k two");
  EXPECT_THAT(refs_of(last("listing")), ElementsAre("A/user/one", "A/user/two"));
  EXPECT_EQ(all("listing").size(), 3U);
  type("unsubscribe k");
  (void)last("unsubscribed");
  type("register k three");
  EXPECT_EQ(all("listing").size(), 3U);
}

TEST_F(at_a_console, what_is_sent_is_received_and_comes_back) {
  type("register k one");
  type("send k hello, you");
  EXPECT_EQ(last("sent").at("count").as_int64(), 1);
  EXPECT_EQ(text_of(last("received"), "text"), "hello, you");
  EXPECT_EQ(text_of(last("received"), "from"), "A");
  EXPECT_EQ(text_of(last("echoed"), "text"), "hello, you");
  type("send nobody x");
  EXPECT_EQ(last("sent").at("count").as_int64(), 0);
}

TEST_F(at_a_console, an_actor_that_stops_is_deregistered_unless_it_is_to_be_kept) {
  type("subscribe k");
  type("register k goes");
  type("register k stays --keep");
  type("stop goes");
  type("stop stays");
  EXPECT_EQ(all("terminated").size(), 2U);
  EXPECT_THAT(refs_of(last("listing")), ElementsAre("A/user/stays"));
  type("send k x");
  EXPECT_EQ(text_of(last("dead_letter"), "reason"), "stopped");
  type("deregister k stays");
  EXPECT_THAT(refs_of(last("listing")), ElementsAre());
}

TEST_F(at_a_console, a_name_that_has_stopped_is_another_actor_when_it_is_registered_again) {
  type("register k one");
  const auto before = text_of(last("registered").at("ref").as_object(), "incarnation");
  type_at_once({"stop one", "register k one"});
  const auto after = text_of(last("registered").at("ref").as_object(), "incarnation");
  EXPECT_NE(before, after) << "though it was registered before it had stopped";
  EXPECT_TRUE(all("error").empty());
}

TEST_F(at_a_console, ends_of_watched_actors_are_told) {
  type("register k one --keep");
  type("watch k");
  EXPECT_EQ(last("watching").at("count").as_int64(), 1);
  type("stop one");
  EXPECT_EQ(all("terminated").size(), 1U) << "exactly once, whatever watches";
}

TEST_F(at_a_console, a_subscription_over_a_bound_is_rejected) {
  reopen(receptionist::options{}.max_subscribers_total(1));
  type("subscribe one");
  type("subscribe two");
  const auto rejected = last("rejected");
  EXPECT_EQ(text_of(rejected, "key"), "two");
  EXPECT_EQ(text_of(rejected, "reason"), "max_subscribers_total");
  EXPECT_EQ(rejected.at("limit").as_int64(), 1);
}

TEST_F(at_a_console, an_actor_subscribes_in_its_own_right_and_until_its_end) {
  reopen(receptionist::options{}.max_subscribers_per_key(1));
  type("register k one");
  type("subscribe k one");
  EXPECT_EQ(text_of(last("listing").at("subscriber").as_object(), "path"), "/user/one");
  EXPECT_THAT(refs_of(last("listing")), ElementsAre("A/user/one"));
  type("subscribe k");
  EXPECT_EQ(text_of(last("rejected"), "reason"), "max_subscribers_per_key");
  EXPECT_FALSE(last("rejected").contains("subscriber")) << "it was the console itself";
  type("stop one");
  const auto listings = all("listing").size();
  type("subscribe k");
  EXPECT_EQ(all("listing").size(), listings + 1) << "its place is free";
  EXPECT_FALSE(last("listing").contains("subscriber"));
  type("register k two");
  type("subscribe k two");
  EXPECT_EQ(text_of(last("rejected").at("subscriber").as_object(), "path"), "/user/two");
}

TEST_F(at_a_console, a_subscription_of_an_actor_is_ended_by_its_name) {
  type("register k one");
  type("subscribe k one");
  type("register k two");
  EXPECT_EQ(all("listing").size(), 2U);
  type("unsubscribe k one");
  EXPECT_EQ(text_of(last("unsubscribed").at("subscriber").as_object(), "path"), "/user/one");
  type("register k three");
  EXPECT_EQ(all("listing").size(), 2U);
  type("subscribe k nobody");
  EXPECT_EQ(text_of(last("error"), "sentence"), "subscribe: no actor 'nobody' runs here; register makes one");
}

TEST_F(at_a_console, registrations_of_every_message_type_are_shown_with_its_name) {
  type("subscribe k");
  type("register k one");
  const auto shop = start_shop();
  EXPECT_THAT(typed_refs_of(last("listing")), ElementsAre("/user/one:muster.echo", "/user/shop:shop.order"));
  type("find k");
  EXPECT_EQ(text_of(last("listing"), "answers"), "find");
  EXPECT_THAT(typed_refs_of(last("listing")), ElementsAre("/user/one:muster.echo", "/user/shop:shop.order"));
  c_.system("A").stop(shop);
  c_.run(milliseconds{20});
  EXPECT_THAT(typed_refs_of(last("listing")), ElementsAre("/user/one:muster.echo"));
}

TEST_F(at_a_console, texts_go_to_those_of_the_built_in_type_alone_and_who_is_left_out_is_counted) {
  type("register k one");
  type("send k x");
  EXPECT_FALSE(last("sent").contains("left_out"));
  (void)start_shop();
  type("send k y");
  EXPECT_EQ(last("sent").at("count").as_int64(), 1);
  EXPECT_EQ(last("sent").at("left_out").as_int64(), 1);
  EXPECT_EQ(all("received").size(), 2U);
  EXPECT_EQ(orders_, 0U);
}

TEST_F(at_a_console, keys_are_shown_in_order_and_by_how_they_begin) {
  type("register printer laser");
  type("register printer ink");
  type("register scanner flat");
  type("keys");
  const auto shown = last("keys");
  EXPECT_EQ(shown.at("count").as_int64(), 2);
  ASSERT_EQ(shown.at("keys").as_array().size(), 2U);
  EXPECT_EQ(text_of(shown.at("keys").as_array()[0].as_object(), "key"), "printer");
  EXPECT_EQ(shown.at("keys").as_array()[0].as_object().at("registrations").as_int64(), 2);
  type("keys sc");
  EXPECT_EQ(last("keys").at("count").as_int64(), 1);
  EXPECT_EQ(text_of(last("keys").at("keys").as_array()[0].as_object(), "key"), "scanner");
  EXPECT_EQ(last("keys").at("line").as_int64(), 5);
}

TEST_F(at_a_console, keys_beyond_what_is_shown_at_once_are_counted) {
  std::vector<std::string> lines;
  for (int i = 0; i < 1001; ++i) lines.push_back(fmt::format("register key-{:04} one", i));
  type_at_once(lines);
  type("keys key-");
  EXPECT_EQ(last("keys").at("count").as_int64(), 1001);
  ASSERT_EQ(last("keys").at("keys").as_array().size(), 1000U);
  EXPECT_EQ(text_of(last("keys").at("keys").as_array().back().as_object(), "key"), "key-0999");
}

TEST_F(at_a_console, actors_of_every_message_type_are_watched) {
  const auto shop = start_shop();
  type("watch k");
  EXPECT_EQ(last("watching").at("count").as_int64(), 1);
  c_.system("A").stop(shop);
  c_.run(milliseconds{20});
  EXPECT_EQ(text_of(last("terminated").at("ref").as_object(), "path"), "/user/shop");
}

TEST_F(at_a_console, what_cannot_be_registered_is_refused_with_a_reason_and_the_actor_made_for_it_is_stopped) {
  type("register \"\" one");
  EXPECT_EQ(text_of(last("refused"), "reason"), "invalid_key");
  EXPECT_EQ(text_of(last("terminated").at("ref").as_object(), "path"), "/user/one");
  type("stop one");
  EXPECT_THAT(text_of(last("error"), "sentence"), HasSubstr("no actor 'one' runs here"));
  type("register " + std::string(2000, 'k') + " two");
  EXPECT_EQ(text_of(last("refused"), "reason"), "over_bound");
  EXPECT_EQ(text_of(last("terminated").at("ref").as_object(), "path"), "/user/two");
  type("register k one");
  EXPECT_EQ(text_of(last("registered").at("ref").as_object(), "path"), "/user/one");
}

TEST_F(at_a_console, a_refusal_leaves_an_actor_alone_that_has_another_registration) {
  type("register k one");
  type("register \"\" one");
  EXPECT_EQ(all("refused").size(), 1U);
  type_at_once({"register \"\" two", "register k two"});
  EXPECT_EQ(all("refused").size(), 2U);
  type_at_once({"register \"\" three", "register \"\" three"});
  EXPECT_EQ(all("refused").size(), 4U);
  type("find k");
  EXPECT_THAT(refs_of(last("listing")), ElementsAre("A/user/one", "A/user/two"));
  ASSERT_EQ(all("terminated").size(), 1U);
  EXPECT_EQ(text_of(last("terminated").at("ref").as_object(), "path"), "/user/three");
}

TEST_F(at_a_console, mistakes_are_errors_that_name_the_line_and_change_nothing) {
  type("regster k one");
  EXPECT_EQ(last("error").at("line").as_int64(), 1);
  EXPECT_THAT(text_of(last("error"), "sentence"), HasSubstr("'regster' is no command"));
  type("stop one");
  EXPECT_THAT(text_of(last("error"), "sentence"), HasSubstr("no actor 'one' runs here"));
  type("deregister k one");
  EXPECT_THAT(text_of(last("error"), "sentence"), HasSubstr("no actor 'one' was made here"));
  type("register k \"not a name\"");
  EXPECT_EQ(last("error").at("line").as_int64(), 4);
  console_.tell(console_message{console_line{9, "", true, nullptr}});
  c_.run(milliseconds{20});
  EXPECT_THAT(text_of(last("error"), "sentence"), HasSubstr("too long"));
  EXPECT_EQ(all("error").size(), 5U);
  EXPECT_TRUE(all("registered").empty());
}

TEST_F(at_a_console, members_that_come_and_go_are_shown) {
  c_.start("B", {"A"});
  c_.run(seconds{2});
  EXPECT_EQ(text_of(last("member"), "status"), "up");
  EXPECT_EQ(text_of(last("member"), "node"), "B");
  type("members");
  EXPECT_EQ(last("members").at("members").as_array().size(), 2U);
  EXPECT_EQ(text_of(last("members"), "phase"), "joined");
  c_.leave("B");
  c_.run(seconds{3});
  EXPECT_EQ(text_of(last("member"), "status"), "left");
}

TEST_F(at_a_console, counters_are_shown) {
  type("register k one");
  type("stats");
  EXPECT_EQ(last("stats").at("receptionist").as_object().at("registered").as_int64(), 1);
  EXPECT_EQ(last("stats").at("cluster").as_object().at("members").as_int64(), 1);
}

TEST_F(at_a_console, a_node_that_has_left_stays_for_questions) {
  type("register k one");
  type("leave");
  c_.run(seconds{3});
  EXPECT_EQ(all("left").size(), 1U);
  EXPECT_TRUE(last("left").at("asked").as_bool());
  EXPECT_FALSE(end_);
  type("find k");
  EXPECT_THAT(refs_of(last("listing")), ElementsAre("A/user/one"));
  type("leave");
  EXPECT_THAT(text_of(last("error"), "sentence"), HasSubstr("has left already"));
  type("quit");
  ASSERT_TRUE(end_);
  EXPECT_FALSE(end_->is_failure);
}

TEST_F(at_a_console, quit_and_the_end_of_the_input_leave_first) {
  console_.tell(console_message{end_console{}});
  type("register k late");
  c_.run(seconds{3});
  ASSERT_TRUE(end_);
  EXPECT_FALSE(end_->is_failure);
  EXPECT_EQ(all("left").size(), 1U);
  EXPECT_TRUE(all("registered").empty()) << "after the end nothing is begun";
}

TEST_F(at_a_console, what_was_asked_before_the_end_is_answered_before_it) {
  type_at_once({"register k one", "find k", "quit"});
  c_.run(seconds{3});
  ASSERT_TRUE(end_);
  EXPECT_EQ(all("registered").size(), 1U);
  EXPECT_THAT(refs_of(last("listing")), ElementsAre("A/user/one"));
  EXPECT_EQ(text_of(out_->events.back(), "event"), "left");
}

TEST_F(at_a_console, nobody_who_reads_is_a_failure) {
  console_.tell(console_message{output_broken{"the output cannot be written: Broken pipe"}});
  c_.run(seconds{3});
  ASSERT_TRUE(end_);
  EXPECT_TRUE(end_->is_failure);
  EXPECT_THAT(end_->why, HasSubstr("Broken pipe"));
}

TEST_F(at_a_console, what_finds_no_room_is_counted_and_told_of_when_there_is_some_again) {
  type("register k one");
  out_->has_room = false;
  out_->drained = false;
  type("find k");
  type("find k");
  out_->has_room = true;
  const auto shown = out_->events.size();
  type("find k");
  EXPECT_EQ(out_->events.size(), shown) << "the gap lasts until the reader has taken all before it";
  out_->drained = true;
  c_.run(seconds{1});
  ASSERT_EQ(out_->events.size(), shown + 1);
  EXPECT_EQ(last("lost").at("count").as_int64(), 3);
  type("find k");
  EXPECT_EQ(text_of(out_->events.back(), "event"), "listing");
}

// --- docs/guide-receptionist-command.md ---

TEST_F(at_a_console, all_that_the_page_says_of_events_is_shown_and_nothing_else) {
  reopen(receptionist::options{}.max_subscribers_total(2));
  (void)start_shop();
  for (const char* line :
       {"register k one", "register \"\" refused", "register k kept --keep", "find k", "subscribe k", "subscribe k one",
        "subscribe other", "subscribe other one", "unsubscribe k one", "send k x", "watch k", "stop kept", "send k x",
        "deregister k kept", "keys", "members", "stats", "help", "mistake"}) {
    type(line);
  }
  c_.start("B", {"A"});
  c_.run(seconds{2});
  out_->has_room = out_->drained = false;
  type("find k");
  out_->has_room = out_->drained = true;
  c_.run(seconds{1});
  // The node comes back under another incarnation, and has to leave.
  auto news = std::make_shared<cluster::member_snapshot>(*c_.at("A").handle->members());
  news->self.incarnation = node_incarnation{news->self.incarnation.value() + 1};
  console_.tell(console_message{cluster::member_news{news, {}}});
  news = std::make_shared<cluster::member_snapshot>(*news);
  news->phase = cluster::phase::ended;
  news->why_ended = "as told";
  console_.tell(console_message{cluster::member_news{news, {}}});
  c_.run(seconds{3});

  std::map<std::string, std::set<std::string>> shown;
  for (const auto& event : out_->events) shown[text_of(event, "event")].merge(fields_of(event));
  shown["member"].merge(values_of<cluster::member_event_kind>());
  shown["listing"].merge(std::set<std::string>{"find", "subscribe"});
  shown["rejected"].merge(values_of<receptionist::rejection>());
  shown["dead_letter"].merge(values_of<dead_letter_reason>());
  shown["members"].merge(values_of<cluster::phase>());
  shown["members"].merge(std::set<std::string>{"up", "unreachable"});
  for (const auto& [event, words] : events_page::get().fields) EXPECT_EQ(shown[event], words) << event;
  EXPECT_EQ(shown.size(), events_page::get().fields.size()) << "an event has no row";
}

}  // namespace
}  // namespace muster::apps

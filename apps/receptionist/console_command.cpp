#include "apps/receptionist/console_command.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "muster/base/utf8.hpp"
#include "muster/config/hocon_string.hpp"
#include "muster/config/text_cursor.hpp"

namespace muster::apps {
namespace {

using words = std::vector<std::string>;

struct command_form {
  std::string_view name;
  std::string_view usage;
  std::string_view meaning;
  std::size_t words_min;  ///< after the name
  std::size_t words_max;
  result<console_command> (*make)(words& given);
};

result<console_command> make_register(words& given) {
  const bool keeps = given.size() == 3;
  if (keeps && given[2] != "--keep") {
    return fail(errc::invalid_argument, "register: '{}' is not known after the name; allowed is --keep", given[2]);
  }
  return console_command{register_actor{std::move(given[0]), std::move(given[1]), keeps}};
}

template <typename Command>
result<console_command> make_of_two(words& given) {
  return console_command{Command{std::move(given[0]), std::move(given[1])}};
}
template <typename Command>
result<console_command> make_of_one(words& given) {
  return console_command{Command{std::move(given[0])}};
}
template <typename Command>
result<console_command> make_of_key_and_subscriber(words& given) {
  Command out{std::move(given[0]), std::nullopt};
  if (given.size() == 2) out.name = std::move(given[1]);
  return console_command{std::move(out)};
}
result<console_command> make_keys(words& given) {
  return console_command{show_keys{given.empty() ? std::string{} : std::move(given[0])}};
}
template <typename Command>
result<console_command> make_of_none(words&) {
  return console_command{Command{}};
}

constexpr auto forms = std::to_array<command_form>({
    {"register", "register KEY NAME [--keep]",
     "make the actor NAME known under KEY (and make NAME, if there is none); with --keep also beyond its end", 2, 3,
     &make_register},
    {"deregister", "deregister KEY NAME", "take it back; the actor lives on", 2, 2, &make_of_two<deregister_actor>},
    {"stop", "stop NAME", "stop the actor", 1, 1, &make_of_one<stop_actor>},
    {"find", "find KEY", "show who is registered, of whatever type, once", 1, 1, &make_of_one<find_key>},
    {"subscribe", "subscribe KEY [NAME]", "show it now and at each change; with NAME that actor subscribes", 1, 2,
     &make_of_key_and_subscriber<subscribe_key>},
    {"unsubscribe", "unsubscribe KEY [NAME]", "no more", 1, 2, &make_of_key_and_subscriber<unsubscribe_key>},
    {"send", "send KEY TEXT", "tell TEXT to all of the built-in type who are registered and can be reached", 2, 2,
     &make_of_two<send_text>},
    {"watch", "watch KEY", "tell of the end of each who is registered now", 1, 1, &make_of_one<watch_key>},
    {"keys", "keys [PREFIX]", "show the keys that somebody is registered under", 0, 1, &make_keys},
    {"members", "members", "show the cluster", 0, 0, &make_of_none<show_members>},
    {"stats", "stats", "show counters", 0, 0, &make_of_none<show_stats>},
    {"leave", "leave", "leave the cluster, and stay for questions", 0, 0, &make_of_none<leave_cluster>},
    {"quit", "quit", "leave, and end", 0, 0, &make_of_none<quit_console>},
    {"help", "help", "show this list", 0, 0, &make_of_none<show_commands>},
});

bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t' || byte == '\r'; }

void pass_blanks(config::text_cursor& at) {
  while (is_blank(at.peek())) at.pass();
}

result<std::string> read_word(config::text_cursor& at) {
  std::string out;
  if (at.peek() == '"') {
    if (auto read = config::read_hocon_string(at, out); !read) {
      return fail(errc::invalid_argument, "column {}: {}", read.error().where.column, read.error().sentence);
    }
    if (!at.at_end() && !is_blank(at.peek())) {
      return fail(errc::invalid_argument, "column {}: a blank has to follow the word in quotes", at.place().column);
    }
    return out;
  }
  for (; !at.at_end() && !is_blank(at.peek()); at.pass()) {
    if (at.peek() == '"') {
      return fail(errc::invalid_argument,
                  "column {}: a quote within a word; put the whole word in quotes, and write \\\" "
                  "for a quote in it",
                  at.place().column);
    }
    out.push_back(at.peek());
  }
  return out;
}

/// The text of `send`: all that follows, without quotes if it has some around it.
result<std::string> read_text(config::text_cursor& at) {
  if (at.peek() == '"') {
    auto word = read_word(at);
    pass_blanks(at);
    if (word && !at.at_end()) {
      return fail(errc::invalid_argument, "column {}: nothing may follow the text in quotes", at.place().column);
    }
    return word;
  }
  std::string_view rest = at.rest();
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  at.pass(at.rest().size());
  return std::string{rest};
}

std::string all_names() {
  std::string out;
  for (const auto& form : forms) {
    if (!out.empty()) out += &form == &forms.back() ? " and " : ", ";
    out += form.name;
  }
  return out;
}

}  // namespace

result<std::optional<console_command>> parse_console_command(std::string_view line) {
  if (const std::size_t good = utf8_prefix(line); good < line.size()) {
    return fail(errc::invalid_argument, "byte {} of the line is not UTF-8; a line has to be", good + 1);
  }
  if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos) {
    return fail(errc::invalid_argument, "byte {} of the line is zero; any other character is allowed", zero + 1);
  }
  config::text_cursor at{line};
  pass_blanks(at);
  if (at.at_end() || at.peek() == '#') return std::nullopt;
  auto name = read_word(at);
  if (!name) return fail(std::move(name).error());
  const command_form* form = nullptr;
  for (const auto& one : forms) {
    if (one.name == *name) form = &one;
  }
  if (form == nullptr) {
    return fail(errc::invalid_argument, "'{}' is no command; allowed are {}", *name, all_names());
  }
  words given;
  for (pass_blanks(at); !at.at_end(); pass_blanks(at)) {
    const bool is_text = form->name == "send" && given.size() == 1;
    auto word = is_text ? read_text(at) : read_word(at);
    if (!word) return fail(std::move(word).error());
    given.push_back(*std::move(word));
  }
  if (given.size() < form->words_min || given.size() > form->words_max) {
    return fail(errc::invalid_argument, "{}: {} given; it is written: {}", form->name,
                given.size() < form->words_min ? "too little is" : "too much is", form->usage);
  }
  auto made = form->make(given);
  if (!made) return fail(std::move(made).error());
  return std::optional{*std::move(made)};
}

std::string_view console_commands_text() noexcept {
  static const std::string text = [] {
    std::string out;
    for (const auto& form : forms) out += fmt::format("{:<28}{}\n", form.usage, form.meaning);
    return out;
  }();
  return text;
}

}  // namespace muster::apps

#include "muster/config/hocon.hpp"

#include <optional>
#include <string>
#include <utility>

#include "muster/base/duration_text.hpp"
#include "muster/base/utf8.hpp"
#include "muster/config/hocon_string.hpp"
#include "muster/config/text_cursor.hpp"

namespace muster::config {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_letter_or_digit(char byte) noexcept {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}
bool is_name_byte(char byte) noexcept { return is_letter_or_digit(byte) || byte == '_' || byte == '-'; }
bool is_word_byte(char byte) noexcept { return is_name_byte(byte) || byte == '.' || byte == '/'; }
bool is_number(std::string_view word) noexcept {
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && word.front() >= '0' && word.front() <= '9' &&
         word.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Goes through the text once. Functions that give a bool give false when the text was refused; `refusal` says why
/// then. Names are flat from the beginning, so an object is but the beginning of its members' names.
class hocon_reader {
 public:
  hocon_reader(std::string_view text, const hocon_bounds& bounds) : at_{text}, bounds_{bounds} {}

  bool read() {
    if (at_.comes(byte_order_mark)) at_.pass(byte_order_mark.size());
    pass_blank_lines();
    if (at_.peek() == '[') return refuse(at_.place(), "the whole is a list; it has to be an object, in braces or not");
    if (at_.peek() != '{') return read_members({}, 0, std::nullopt);
    const text_place opened = at_.place();
    at_.pass();
    if (!read_members({}, 0, opened)) return false;
    pass_blank_lines();
    return at_.at_end() || refuse(at_.place(), "something follows the '}' that closes the whole; nothing may");
  }

  [[nodiscard]] property_map take() { return std::move(values_); }
  [[nodiscard]] const std::string& refusal() const noexcept { return refusal_; }
  [[nodiscard]] text_place refused_at() const noexcept { return refused_at_; }

 private:
  bool refuse(text_place where, std::string sentence) {
    refused_at_ = where;
    refusal_ = std::move(sentence);
    return false;
  }

  // --- what separates ---

  void pass_comment() {
    while (!at_.at_end() && at_.peek() != '\n') at_.pass();
  }
  /// Blanks and a comment, up to the end of the line.
  void pass_blanks() {
    while (at_.peek() == ' ' || at_.peek() == '\t' || at_.peek() == '\r') at_.pass();
    if (at_.peek() == '#' || at_.comes("//")) pass_comment();
  }
  /// Likewise, of any number of lines. True when a line has ended.
  bool pass_blank_lines() {
    bool has_ended = false;
    for (pass_blanks(); at_.peek() == '\n'; pass_blanks()) {
      at_.pass();
      has_ended = true;
    }
    return has_ended;
  }

  /// After a member or element: a comma, the end of the line, or what closes.
  bool read_separator(char closing) {
    if (pass_blank_lines() || at_.at_end() || at_.peek() == closing) {
      if (at_.peek() == ',') at_.pass();
      return true;
    }
    if (at_.peek() == ',') {
      at_.pass();
      return true;
    }
    if (at_.peek() == '$') return refuse_substitution();
    if (at_.peek() == '}' || at_.peek() == ']') return refuse_character();
    return refuse(
        at_.place(),
        fmt::format("a value is followed by {} on its line; values are not joined to one here: write one text "
                    "in quotes, or put a comma or the end of the line between two values",
                    shown_next()));
  }

  // --- objects ---

  bool read_members(const std::string& prefix, std::size_t depth, std::optional<text_place> opened) {
    while (true) {
      pass_blank_lines();
      if (at_.at_end()) return !opened || refuse(*opened, "this '{' is not closed; a '}' has to follow");
      if (at_.peek() == '}') {
        if (!opened) return refuse(at_.place(), "a '}' without a '{' before it");
        at_.pass();
        return true;
      }
      if (!read_member(prefix, depth) || !read_separator('}')) return false;
    }
  }

  bool read_member(const std::string& prefix, std::size_t depth) {
    if (is_include()) {
      return refuse(at_.place(),
                    "'include' is not supported; write everything into one file, or give the other values "
                    "on the command line");
    }
    std::string name = prefix;
    if (!read_name(name, depth)) return false;
    pass_blank_lines();
    if (at_.comes("+=")) {
      return refuse(at_.place(), "'+=' is not supported; write the whole list after '='");
    }
    if (at_.peek() == '{') return read_value(name, depth);
    if (at_.peek() != '=' && at_.peek() != ':') {
      return refuse(at_.place(),
                    fmt::format("{} follows the name '{}'; allowed are '=', ':' and '{{'", shown_next(), name));
    }
    at_.pass();
    pass_blank_lines();
    return read_value(name, depth);
  }

  [[nodiscard]] bool is_include() const {
    if (!at_.comes("include") || is_name_byte(at_.peek(7))) return false;
    std::string_view after = at_.rest().substr(7);
    while (after.starts_with(' ') || after.starts_with('\t')) after.remove_prefix(1);
    return after.starts_with('"') || after.starts_with("url(") || after.starts_with("file(") ||
           after.starts_with("classpath(") || after.starts_with("required(");
  }

  /// Appends a name, dotted or not, and counts its parts.
  bool read_name(std::string& name, std::size_t& depth) {
    while (true) {
      if (++depth > bounds_.depth_max) {
        return refuse(at_.place(), fmt::format("more than {} objects or parts of a name lie within each other; that is "
                                               "the limit",
                                               bounds_.depth_max));
      }
      const text_place began = at_.place();
      std::string part;
      if (at_.peek() == '"') {
        if (!read_string(part)) return false;
        if (part.empty()) return refuse(began, "a name is empty; at least one character is needed");
      } else {
        while (is_name_byte(at_.peek())) {
          part.push_back(at_.peek());
          at_.pass();
        }
        if (part.empty()) return refuse_name();
      }
      if (!name.empty()) name.push_back('.');
      name += part;
      if (at_.peek() != '.') break;
      at_.pass();
    }
    pass_blanks();
    if (at_.peek() == '"' || is_name_byte(at_.peek()) || at_.peek() == '.') {
      return refuse(at_.place(), "a name has a blank within; put it in quotes, or write '=' or ':' after the name");
    }
    return true;
  }

  // --- values ---

  bool read_value(const std::string& name, std::size_t depth) {
    switch (at_.peek()) {
      case '{': {
        make_room_for(name, /*is_object=*/true);
        const text_place opened = at_.place();
        at_.pass();
        return read_members(name, depth, opened);
      }
      case '[': {
        std::string list;
        return read_list(list) && set(name, std::move(list));
      }
      case '"': {
        std::string text;
        return read_string(text) && set(name, std::move(text));
      }
      case ',':
      case '}':
      case '\0':
        if (at_.peek() != '\0' || at_.at_end()) {
          return refuse(at_.place(), fmt::format("the value of '{}' is missing; \"\" or null stand for none", name));
        }
        break;
      default: break;
    }
    std::string word;
    if (!read_word(word)) return false;
    return set(name, word == "null" ? std::string{} : std::move(word));
  }

  bool read_list(std::string& list) {
    const text_place opened = at_.place();
    at_.pass();
    while (true) {
      pass_blank_lines();
      if (at_.at_end()) return refuse(opened, "this '[' is not closed; a ']' has to follow");
      if (at_.peek() == ']') {
        at_.pass();
        return true;
      }
      const text_place began = at_.place();
      if (at_.peek() == '{' || at_.peek() == '[') {
        return refuse(began, "a list holds texts, numbers and booleans; no objects and no lists");
      }
      std::string element;
      if (!(at_.peek() == '"' ? read_string(element) : read_word(element))) return false;
      if (element.empty() || element.find(',') != std::string::npos) {
        return refuse(began, "an element of a list may neither be empty nor have a comma within");
      }
      if (!list.empty()) list += ", ";
      list += element;
      if (!read_separator(']')) return false;
    }
  }

  bool read_string(std::string& into) {
    auto read = read_hocon_string(at_, into);
    return read ? true : refuse(read.error().where, std::move(read.error().sentence));
  }

  /// One word without quotes, or a duration of two: `10 seconds`.
  bool read_word(std::string& into) {
    if (at_.peek() == '$') return refuse_substitution();
    into = next_word();
    if (into.empty()) return refuse_character();
    // The exponent's sign, which is part of nothing else.
    if (at_.peek() == '+' && (into.ends_with('e') || into.ends_with('E')) &&
        is_number(std::string_view{into}.substr(0, into.size() - 1))) {
      at_.pass();
      into += '+' + next_word();
    }
    if (!is_number(into) || (at_.peek() != ' ' && at_.peek() != '\t')) return true;
    pass_blanks();
    const text_place began = at_.place();
    const std::string unit = next_word();
    if (unit.empty()) return true;
    if (!is_duration_unit(unit)) {
      return refuse(began, fmt::format("'{}' follows a number and is no unit of time; allowed are ns, us, ms, s, m, h "
                                       "and d or their long names, and for a text write quotes",
                                       unit));
    }
    into += ' ' + unit;
    return true;
  }

  std::string next_word() {
    std::string word;
    while (is_word_byte(at_.peek()) && !at_.comes("//")) {
      word.push_back(at_.peek());
      at_.pass();
    }
    return word;
  }

  // --- what is set ---

  /// A later value takes the place of an earlier object, and an object that of a value; only objects merge.
  void make_room_for(const std::string& name, bool is_object) {
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      values_.erase(name.substr(0, dot));
    }
    if (is_object) {
      values_.erase(name);
      return;
    }
    const std::string below = name + '.';
    auto one = values_.lower_bound(below);
    while (one != values_.end() && one->first.starts_with(below)) one = values_.erase(one);
  }

  bool set(const std::string& name, std::string value) {
    make_room_for(name, /*is_object=*/false);
    values_.insert_or_assign(name, std::move(value));
    if (values_.size() <= bounds_.values_max) return true;
    return refuse(at_.place(), fmt::format("there are more than {} values; that is the limit", bounds_.values_max));
  }

  // --- what is refused ---

  [[nodiscard]] std::string shown_next() const {
    if (at_.at_end()) return "the end";
    if (at_.peek() == '\n') return "the end of the line";
    const std::size_t size = utf8_length(at_.rest());
    const auto first = static_cast<unsigned char>(at_.peek());
    if (size == 1 && (first < 0x20 || first == 0x7f)) return fmt::format("the character U+{:04X}", first);
    return fmt::format("'{}'", at_.rest().substr(0, size));
  }

  bool refuse_substitution() {
    return refuse(at_.place(),
                  "substitutions (${...}) are not supported; write the value itself, or a text with a '$' "
                  "in quotes");
  }
  bool refuse_character() {
    return refuse(at_.place(),
                  fmt::format("{} may not stand here; without quotes a value is one word of letters, digits "
                              "and - _ . / and anything else stands in double quotes",
                              shown_next()));
  }
  bool refuse_name() {
    if (at_.peek() == '$') return refuse_substitution();
    if (at_.peek() == ',')
      return refuse(at_.place(), "a comma has no value before it; one between two values is enough");
    return refuse(at_.place(),
                  fmt::format("{} may not stand here; a name is letters, digits, - and _ (parts of it with "
                              "dots between), or stands in double quotes",
                              shown_next()));
  }

  text_cursor at_;
  const hocon_bounds& bounds_;
  property_map values_;
  std::string refusal_;
  text_place refused_at_;
};

tl::unexpected<error> refused(std::string_view source, text_place where, std::string_view sentence) {
  return fail(errc::invalid_argument, "{}, line {}, column {}: {}", source, where.line, where.column, sentence);
}

}  // namespace

result<property_map> read_hocon(std::string_view text, std::string_view source, const hocon_bounds& bounds) {
  if (text.size() > bounds.text_bytes_max) {
    return fail(errc::invalid_argument, "{} has {} bytes; a configuration may have {}", source, text.size(),
                bounds.text_bytes_max);
  }
  if (const std::size_t good = utf8_prefix(text); good < text.size()) {
    text_cursor at{text};
    at.pass(good);
    return refused(source, at.place(), "this is not UTF-8; a configuration has to be");
  }
  hocon_reader reader{text, bounds};
  if (!reader.read()) return refused(source, reader.refused_at(), reader.refusal());
  return reader.take();
}

}  // namespace muster::config

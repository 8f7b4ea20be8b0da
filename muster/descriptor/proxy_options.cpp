#include "muster/descriptor/proxy_options.hpp"

#include <charconv>
#include <optional>

namespace muster::descriptor {

namespace {

/// Takes words off a text: separated by white space, or quoted, with a backslash before a quote that belongs to the
/// word.
class word_reader {
 public:
  explicit word_reader(std::string_view text) noexcept : rest_{text} {}

  /// Nothing at the end; `invalid_argument` for a quote that is not closed.
  [[nodiscard]] result<std::optional<std::string>> next() {
    const auto start = rest_.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return std::nullopt;
    rest_.remove_prefix(start);
    if (rest_.front() == '"' || rest_.front() == '\'') return quoted();
    const auto end = rest_.find_first_of(" \t\r\n");
    const auto word = rest_.substr(0, end);
    rest_.remove_prefix(word.size());
    return std::string{word};
  }

 private:
  [[nodiscard]] result<std::optional<std::string>> quoted() {
    const char quote = rest_.front();
    std::string word;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\' && i + 1 < rest_.size() && (rest_[i + 1] == quote || rest_[i + 1] == '\\')) {
        word += rest_[++i];
      } else if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return word;
      } else {
        word += rest_[i];
      }
    }
    return fail(errc::invalid_argument, "the quote {} is not closed", rest_);
  }

  std::string_view rest_;
};

[[nodiscard]] std::optional<version> parse_version(std::string_view text) {
  version parsed;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, parsed.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, parsed.minor);
  if (minor.ec != std::errc{} || minor.ptr != end) return std::nullopt;
  return parsed;
}

/// The options that stand alone; false for others.
[[nodiscard]] bool set_flag(proxy_options& options, std::string_view word) {
  if (word == "-t") {
    options.mode = proxy_mode::twoway;
  } else if (word == "-o") {
    options.mode = proxy_mode::oneway;
  } else if (word == "-O") {
    options.mode = proxy_mode::batch_oneway;
  } else if (word == "-d") {
    options.mode = proxy_mode::datagram;
  } else if (word == "-D") {
    options.mode = proxy_mode::batch_datagram;
  } else if (word == "-s") {
    options.secure = true;
  } else {
    return false;
  }
  return true;
}

/// The options that take a value; false for others and for values that do not fit.
[[nodiscard]] bool set_value(proxy_options& options, std::string_view word, const std::string& value) {
  if (word == "-f") {
    options.facet = value;
    return true;
  }
  const auto parsed = parse_version(value);
  if (!parsed || parsed->major != 1) return false;
  if (word == "-e") {
    options.encoding = *parsed;
  } else if (word == "-p") {
    options.protocol = *parsed;
  } else {
    return false;
  }
  return true;
}

}  // namespace

result<proxy_options> parse_proxy_options(std::string_view text) {
  proxy_options options;
  word_reader words{text};
  for (;;) {
    const auto word = words.next();
    if (!word) return fail(errc::invalid_argument, "invalid proxy options `{}': {}", text, word.error().message);
    if (!word->has_value()) return options;
    if (set_flag(options, **word)) continue;
    const auto value = words.next();
    if (!value) return fail(errc::invalid_argument, "invalid proxy options `{}': {}", text, value.error().message);
    if (!value->has_value() || !set_value(options, **word, **value)) {
      return fail(errc::invalid_argument,
                  "invalid proxy options `{}' at `{}': allowed are -t, -o, -O, -d, -D, -s, -f FACET, -e 1.x and -p 1.x",
                  text, **word);
    }
  }
}

}  // namespace muster::descriptor

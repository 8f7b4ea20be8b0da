#include "muster/config/endpoint_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/ranges.h>

#include "muster/config/number_text.hpp"

namespace muster::config {
namespace {

/// A word of an endpoint or proxy; whether it was quoted matters, because "-h" in quotes is a value.
struct word {
  std::string text;
  bool quoted{};
};

/// Splits at blanks; '…' and "…" hold blanks and colons together, and a backslash takes the next character as it is.
/// Stops at an unquoted character of `stops`, which stays in the input.
class word_reader {
 public:
  explicit word_reader(std::string_view input) : input_{input} {}

  [[nodiscard]] result<std::vector<word>> until(std::string_view stops) {
    std::vector<word> words;
    for (;;) {
      skip_blanks();
      if (at_end() || stops.find(input_[at_]) != std::string_view::npos) return words;
      auto next = read_word(stops);
      if (!next) return fail(next.error());
      words.push_back(std::move(*next));
    }
  }

  [[nodiscard]] bool at_end() const { return at_ >= input_.size(); }
  [[nodiscard]] char take() { return input_[at_++]; }
  [[nodiscard]] std::string_view rest() const { return input_.substr(at_); }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void skip_blanks() {
    while (!at_end() && is_blank(input_[at_])) ++at_;
  }

  result<word> read_word(std::string_view stops) {
    word out;
    if (const char quote = input_[at_]; quote == '"' || quote == '\'') {
      out.quoted = true;
      for (++at_; !at_end() && input_[at_] != quote; ++at_) {
        if (input_[at_] == '\\' && at_ + 1 < input_.size() && input_[at_ + 1] == quote) ++at_;
        out.text += input_[at_];
      }
      if (at_end()) return fail(errc::invalid_argument, "the quote {} is not closed", quote);
      ++at_;
      return out;
    }
    while (!at_end() && !is_blank(input_[at_]) && stops.find(input_[at_]) == std::string_view::npos) {
      out.text += input_[at_++];
    }
    return out;
  }

  std::string_view input_;
  std::size_t at_{0};
};

/// `tcp, ssl and ws`, of at least two.
std::string enumerated(std::span<const std::string_view> words) {
  return fmt::format("{} and {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

result<void> check_transport(std::string_view name, std::span<const std::string_view> allowed) {
  if (std::ranges::find(allowed, name) != allowed.end()) return {};
  const bool is_one = std::ranges::find(all_transports, name) != all_transports.end();
  return fail(errc::invalid_argument, "{} {}; allowed are {}", name.empty() ? "''" : name,
              is_one ? "cannot be used here" : "is no transport", enumerated(allowed));
}

result<void> check_timeout(std::string_view value) {
  if (value == "infinite") return {};
  const auto number = parse_integer(value);
  if (!number || *number < 1) {
    return fail(errc::invalid_argument, "-t {}: allowed are a number of milliseconds above 0, and infinite", value);
  }
  return {};
}

/// One option of an endpoint. `value` is null when the next word is an option or there is none.
result<void> take_option(endpoint_text& out, std::string_view option, const std::string* value) {
  static constexpr std::string_view all = "-h -p -t -z -r -v -e -c -a -u --interface --ttl --sourceAddress --name";
  const auto needs_value = [&]() -> result<void> {
    if (value == nullptr) return fail(errc::invalid_argument, "{} needs a value after it", option);
    return {};
  };
  if (option == "-z" || option == "-c") {
    if (value != nullptr) return fail(errc::invalid_argument, "{} takes no value, but {} follows it", option, *value);
    return {};
  }
  if ((" " + std::string{all} + " ").find(" " + std::string{option} + " ") == std::string::npos) {
    return fail(errc::invalid_argument, "{} is no option of an endpoint; allowed are {}", option, all);
  }
  if (auto given = needs_value(); !given) return given;
  if (option == "-h") {
    out.host = *value;
  } else if (option == "-p") {
    const auto number = parse_integer(*value);
    if (!number || *number < 0 || *number > 65535) {
      return fail(errc::invalid_argument, "-p {}: allowed is a port from 0 (any free one) to 65535", *value);
    }
    out.port = *value;
  } else if (option == "-t") {
    return check_timeout(*value);
  } else if (option == "--ttl") {
    const auto number = parse_integer(*value);
    if (!number || *number < -1 || *number > 255) {
      return fail(errc::invalid_argument, "--ttl {}: allowed is a number from -1 to 255", *value);
    }
  }
  return {};
}

result<endpoint_text> make_endpoint(std::span<const word> words, std::span<const std::string_view> transports) {
  if (words.empty()) {
    return fail(errc::invalid_argument,
                "an endpoint is empty; endpoints are separated by one ':', and an IPv6 address stands in quotes");
  }
  endpoint_text out{words.front().text, std::nullopt, {}};
  if (auto allowed = check_transport(out.transport, transports); !allowed) return fail(std::move(allowed).error());
  for (std::size_t i = 1; i < words.size(); ++i) {
    const word& option = words[i];
    if (option.quoted || option.text.empty() || option.text.front() != '-') {
      return fail(errc::invalid_argument, "'{}' stands where an option such as -h or -p is expected", option.text);
    }
    const bool value_follows = i + 1 < words.size() && (words[i + 1].quoted || words[i + 1].text.front() != '-' ||
                                                        parse_integer(words[i + 1].text).has_value());
    if (auto taken = take_option(out, option.text, value_follows ? &words[i + 1].text : nullptr); !taken) {
      return fail(taken.error());
    }
    if (value_follows) ++i;
  }
  return out;
}

result<std::vector<endpoint_text>> read_endpoints(word_reader& in, std::span<const std::string_view> transports) {
  std::vector<endpoint_text> out;
  for (;;) {
    auto words = in.until(":");
    if (!words) return fail(words.error());
    auto endpoint = make_endpoint(*words, transports);
    if (!endpoint) return fail(endpoint.error());
    out.push_back(std::move(*endpoint));
    if (in.at_end()) return out;
    (void)in.take();
  }
}

/// `category/name` with Ice's escapes for slash and backslash.
result<void> split_identity(std::string_view text, proxy_text& out) {
  std::string part;
  bool has_category = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '\\')) {
      part += text[++i];
    } else if (text[i] == '/') {
      if (has_category) {
        return fail(errc::invalid_argument, "the identity {} has more than one '/'; further ones are written \\/",
                    text);
      }
      has_category = true;
      out.category = std::move(part);
      part.clear();
    } else {
      part += text[i];
    }
  }
  out.name = std::move(part);
  if (out.name.empty())
    return fail(errc::invalid_argument, "the identity has no name; allowed is name or category/name");
  return {};
}

result<void> check_proxy_options(std::span<const word> words) {
  static constexpr std::string_view with_value = "-f -e -p";
  static constexpr std::string_view without_value = "-t -o -O -d -D -s";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& option = words[i].text;
    const bool is_option = !words[i].quoted && option.size() == 2 && option.front() == '-';
    if (is_option && without_value.find(option) != std::string_view::npos) continue;
    if (is_option && with_value.find(option) != std::string_view::npos) {
      if (i + 1 == words.size()) return fail(errc::invalid_argument, "{} needs a value after it", option);
      ++i;
      continue;
    }
    return fail(errc::invalid_argument, "'{}' stands where an option of a proxy is expected; allowed are {} {}", option,
                with_value, without_value);
  }
  return {};
}

bool is_loopback_host(std::string_view host) {
  std::string lower{host};
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "localhost" || lower == "::1" || lower == "ip6-localhost" || lower.starts_with("127.");
}

}  // namespace

bool endpoint_text::is_loopback() const { return host && is_loopback_host(*host); }

result<std::vector<endpoint_text>> parse_endpoints(std::string_view text,
                                                   std::span<const std::string_view> transports) {
  word_reader in{text};
  return read_endpoints(in, transports);
}

result<proxy_text> parse_proxy(std::string_view text) {
  word_reader in{text};
  auto words = in.until(":@");
  if (!words) return fail(words.error());
  proxy_text out;
  if (words->empty())
    return fail(errc::invalid_argument, "the proxy has no identity; allowed is name or category/name");
  if (auto split = split_identity(words->front().text, out); !split) return fail(split.error());
  if (auto options = check_proxy_options(std::span{*words}.subspan(1)); !options) return fail(options.error());
  if (in.at_end()) return out;
  if (in.take() == ':') {
    auto endpoints = read_endpoints(in, all_transports);
    if (!endpoints) return fail(endpoints.error());
    out.endpoints = std::move(*endpoints);
    return out;
  }
  auto adapter = in.until("");
  if (!adapter) return fail(adapter.error());
  if (adapter->size() != 1 || adapter->front().text.empty()) {
    return fail(errc::invalid_argument, "one adapter id has to follow '@', in quotes when it holds blanks");
  }
  out.adapter_id = adapter->front().text;
  return out;
}

}  // namespace muster::config

#pragma once

#include <string_view>

namespace muster::locator {

/// A pattern of the administrative interface, as Ice 3.7 reads it: empty matches everything; the first `*` stands for
/// any run of characters, also none; every other character, a second `*` too, stands for itself.
class pattern {
 public:
  explicit constexpr pattern(std::string_view text) noexcept
      : any_{text.empty() || text.find('*') != std::string_view::npos},
        before_{text.substr(0, text.find('*'))},
        after_{text.find('*') == std::string_view::npos ? std::string_view{} : text.substr(text.find('*') + 1)} {}

  [[nodiscard]] constexpr bool matches_everything() const noexcept { return any_ && before_.empty() && after_.empty(); }

  [[nodiscard]] constexpr bool matches(std::string_view text) const noexcept {
    if (!any_) return text == before_;
    return text.size() >= before_.size() + after_.size() && text.starts_with(before_) && text.ends_with(after_);
  }

 private:
  bool any_;  // whether something may stand between the two
  std::string_view before_;
  std::string_view after_;
};

}  // namespace muster::locator

#include "muster/descriptor/variables.hpp"

namespace muster::descriptor {

namespace {

// No descriptor nests deeper; a value that refers to itself does.
constexpr std::size_t depth_max = 32;
// Replacements and bytes of one text together: values that refer to each other twice grow exponentially.
constexpr std::size_t budget_max = 1U << 20U;

}  // namespace

std::optional<std::string> variables::substitute(std::string_view text) const {
  std::string out;
  std::size_t budget = budget_max + text.size();
  if (!append(out, text, 0, budget)) return std::nullopt;
  return out;
}

const std::string* variables::find(const std::string& name) const {
  for (const auto* scope = this; scope != nullptr; scope = scope->outer_) {
    if (const auto found = scope->own_.find(name); found != scope->own_.end()) return &found->second;
  }
  return nullptr;
}

bool variables::append(std::string& out, std::string_view text, std::size_t depth, std::size_t& budget) const {
  if (depth == depth_max || budget <= text.size()) return false;
  budget -= text.size() + 1;
  while (!text.empty()) {
    const auto dollar = text.find("${");
    if (dollar == std::string_view::npos) break;
    if (dollar != 0 && text[dollar - 1] == '$') {
      out.append(text.substr(0, dollar - 1)).append("${");
      text.remove_prefix(dollar + 2);
      continue;
    }
    out.append(text.substr(0, dollar));
    const auto close = text.find('}', dollar);
    if (close == std::string_view::npos) return false;
    const auto* value = find(std::string{text.substr(dollar + 2, close - dollar - 2)});
    if (value == nullptr || !append(out, *value, depth + 1, budget)) return false;
    text.remove_prefix(close + 1);
  }
  out.append(text);
  return true;
}

}  // namespace muster::descriptor

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::descriptor {

/// The variables that hold at one place of an application, over those of the places around it. Refers to the outer
/// scope, which must outlive it.
class variables {
 public:
  using values = std::map<std::string, std::string>;

  variables() noexcept = default;
  explicit variables(const variables& outer) noexcept : outer_{&outer} {}
  variables& operator=(const variables&) = delete;
  ~variables() = default;

  void define(std::string name, std::string value) { own_.insert_or_assign(std::move(name), std::move(value)); }
  /// Names that are defined here already keep their value.
  void define_all(const values& several) { own_.insert(several.begin(), several.end()); }

  /// Replaces each `${name}` by its value, in which references are replaced in turn; `$${` stands for a literal `${`
  /// (Ice manual, "Using Descriptor Variables and Parameters"). Nothing if a name is not defined, if a value refers to
  /// itself, or if the result grows beyond any reason.
  [[nodiscard]] std::optional<std::string> substitute(std::string_view text) const;

 private:
  [[nodiscard]] const std::string* find(const std::string& name) const;
  [[nodiscard]] bool append(std::string& out, std::string_view text, std::size_t depth, std::size_t& budget) const;

  const variables* outer_{nullptr};
  values own_;
};

}  // namespace muster::descriptor

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::bench {

[[nodiscard]] double median(std::vector<double> samples);
/// The smallest sample that `part` of all samples do not exceed; `part` is above 0 and at most 1.
[[nodiscard]] double quantile(std::vector<double> samples, double part);

/// What muster is measured beside, as tables call it.
struct side_names {
  std::string stock = "stock";        ///< the product that does the same
  std::string constant = "constant";  ///< the limit: what the same ground can do at best
};

/// What a row must show: muster's median against the stock registry's or the constant servant's, or by itself.
struct target {
  enum class kind : std::uint8_t { of_stock, of_constant, absolute };
  kind what = kind::of_stock;
  enum class bound : std::uint8_t { at_least, at_most };
  bound direction = bound::at_least;
  double value = 0;
};

[[nodiscard]] constexpr target at_least(double value, target::kind what = target::kind::of_stock) {
  return {what, target::bound::at_least, value};
}
[[nodiscard]] constexpr target at_most(double value, target::kind what = target::kind::of_stock) {
  return {what, target::bound::at_most, value};
}

/// One line of the table: the same thing measured in pairs, so that the n-th samples belong together. Empty where a
/// product was not measured.
struct row {
  std::string measurement;
  std::string what;
  std::string unit;
  std::vector<double> stock{};
  std::vector<double> muster{};
  std::vector<double> constant{};
  std::vector<target> targets{};
  std::string remark{};
};

/// The median of the quotients of pairs; of the medians where they do not come in pairs.
[[nodiscard]] std::optional<double> ratio(const std::vector<double>& of, const std::vector<double>& to);
/// Whether the target is met; nothing when what it needs was not measured.
[[nodiscard]] std::optional<bool> is_met(const row& line, const target& goal);

/// The medians of a row in a line, to be read while the rest is measured.
[[nodiscard]] std::string as_line(const row& line, const side_names& names = {});
/// The rows as a Markdown table.
[[nodiscard]] std::string as_table(const std::vector<row>& rows, const side_names& names = {});
/// Everything with all samples, the machine and the versions.
[[nodiscard]] std::string as_json(const std::vector<row>& rows, const std::string& command, int pairs,
                                  const side_names& names = {});

}  // namespace muster::bench

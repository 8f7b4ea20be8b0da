#include "muster/config/value_reader.hpp"

#include "muster/base/invariant.hpp"
#include "muster/config/number_text.hpp"

namespace muster::config {

std::string_view value_reader::raw(std::string_view name) const {
  const auto found = properties_.find(name);
  return found == properties_.end() ? std::string_view{} : std::string_view{found->second};
}

std::string value_reader::text(std::string_view name) {
  const property_row* row = find_property(name);
  MUSTER_INVARIANT(row != nullptr, "every property that is read has a row, so that it is documented");
  asked_.emplace(name);
  const std::string_view value = raw(name);
  if (value.empty()) return std::string{row->fallback};
  if (auto fits = check_value(name, *row, value); !fits) {
    if (outcome_) outcome_ = std::move(fits);
    return std::string{row->fallback};
  }
  return std::string{value};
}

std::int64_t value_reader::number(std::string_view name) { return parse_integer(text(name)).value_or(0); }

result<void> value_reader::outcome() const { return outcome_; }

}  // namespace muster::config

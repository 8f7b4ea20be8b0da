#include "muster/catalog/row_cursor.hpp"

#include <iterator>
#include <utility>

#include "muster/catalog/row_codec.hpp"

namespace muster::catalog {

row_cursor::row_cursor(state from)
    : from_{std::move(from)},
      object_{from_.objects().begin()},
      adapter_{from_.adapters().begin()},
      application_{from_.applications().begin()} {}

std::optional<row> row_cursor::next() {
  for (; object_ != std::default_sentinel; ++object_) {
    if (object_->is_deployed()) continue;  // it comes back with its application
    auto one = row_of(*object_);
    ++object_;
    return one;
  }
  if (adapter_ != std::default_sentinel) {
    auto one = row_of(*adapter_);
    ++adapter_;
    return one;
  }
  if (application_ != std::default_sentinel) {
    auto one = row_of(*application_);
    ++application_;
    return one;
  }
  return std::nullopt;
}

}  // namespace muster::catalog

#include "muster/actor/actor_ref.hpp"

namespace muster {

const std::string& any_ref::path() const noexcept {
  static const std::string null{"(null)"};
  return target_ ? target_->path() : null;
}

}  // namespace muster

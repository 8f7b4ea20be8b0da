#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "muster/catalog/change.hpp"
#include "muster/catalog/state.hpp"

namespace muster::sim::replicas {

/// The catalog once more, in the simplest way that can be right: which objects, adapters and applications there are
/// after a sequence of successful changes. It shares no code with `catalog::apply`, so a removed thing that comes back,
/// or one that never appears, is seen whatever the cause.
class model {
 public:
  void apply(const catalog::change& one);
  /// What differs, or nothing.
  [[nodiscard]] std::string compare(const catalog::state& with) const;

 private:
  using identity = std::pair<std::string, std::string>;

  std::map<identity, bytes> objects_;
  std::map<std::string, bytes, std::less<>> adapters_;
  std::map<std::string, std::string, std::less<>> groups_of_adapters_;
  std::map<std::string, std::set<identity>, std::less<>> applications_;  ///< with the objects of each
};

}  // namespace muster::sim::replicas

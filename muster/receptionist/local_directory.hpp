#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "muster/gossip/options.hpp"
#include "muster/receptionist/directory.hpp"

namespace muster::receptionist {

/// The directory of a node that is alone. It has nobody to tell anything, and the receptionist knows what it has
/// registered: so it counts, to hold the bounds that one node has in a cluster, and keeps nothing.
class local_directory final : public directory {
 public:
  /// `invalid_argument` for bounds that make no sense, or a name that no node may have.
  [[nodiscard]] static result<std::unique_ptr<local_directory>> make(const gossip::options& bounds,
                                                                     std::string_view name);

  [[nodiscard]] gossip::node_id self() const override { return self_; }
  [[nodiscard]] bool is_shared() const noexcept override { return false; }
  /// Nothing comes from others.
  void attach(std::function<void(directory_news)>) override {}
  void detach() override {}
  [[nodiscard]] result<void> add(const gossip::shared_text& key, const gossip::entry& what) override;
  void remove(const gossip::shared_text& key, const gossip::entry& what) override;
  void commit() override {}

 private:
  local_directory(const gossip::options& bounds, gossip::node_id self) : bounds_{bounds}, self_{std::move(self)} {}

  const gossip::options bounds_;
  const gossip::node_id self_;
  std::int64_t count_{0};
};

}  // namespace muster::receptionist

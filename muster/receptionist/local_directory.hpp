#pragma once

#include <memory>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/gossip/core.hpp"
#include "muster/receptionist/directory.hpp"

namespace muster::receptionist {

/// The directory of a node that is alone: a gossip core without peers, so that the bounds are those of a cluster.
class local_directory final : public directory {
 public:
  /// As `gossip::core::make`.
  [[nodiscard]] static result<std::unique_ptr<local_directory>> make(const gossip::options& how, gossip::origin_id self,
                                                                     instant now);

  [[nodiscard]] gossip::node_id self() const override { return store_->self().node; }
  [[nodiscard]] bool is_shared() const noexcept override { return false; }
  /// Nothing comes from others.
  void attach(std::function<void(directory_news)>) override {}
  void detach() override {}
  [[nodiscard]] result<void> add(const gossip::shared_text& key, const gossip::entry& what) override;
  void remove(const gossip::shared_text& key, const gossip::entry& what) override;
  void commit() override;

  /// For tests and for whoever looks into it.
  [[nodiscard]] const gossip::core& store() const noexcept { return *store_; }

 private:
  local_directory() = default;

  // Nothing is drawn from it: there is nobody to choose from.
  prng random_{1};
  std::unique_ptr<gossip::core> store_;
};

}  // namespace muster::receptionist

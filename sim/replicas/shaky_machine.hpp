#pragma once

#include <memory>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/registry/catalog_machine.hpp"
#include "muster/replication/state_machine.hpp"

namespace muster::sim::replicas {

/// The catalog behind a door that can be made to stick: it refuses one change on demand, and, as a sabotage, lets
/// changes pass without doing them.
class shaky_machine final : public replication::state_machine {
 public:
  [[nodiscard]] registry::catalog_machine& catalog() noexcept { return catalog_; }
  [[nodiscard]] const registry::catalog_machine& catalog() const noexcept { return catalog_; }

  void fail_next_stage() noexcept { fails_next_ = true; }
  /// From now on about one change in thirty is taken and not done.
  void skip_changes(prng& draws) noexcept { skip_draws_ = &draws; }

  [[nodiscard]] result<void> stage(replication::serial number, byte_view change,
                                   std::vector<replication::row_write>& rows) override;
  void publish() override { catalog_.publish(); }
  void discard() override { catalog_.discard(); }
  [[nodiscard]] std::unique_ptr<replication::snapshot_source> capture() const override { return catalog_.capture(); }
  [[nodiscard]] std::unique_ptr<replication::snapshot_sink> begin_install() override {
    return catalog_.begin_install();
  }
  void install(std::unique_ptr<replication::snapshot_sink> sink) override { catalog_.install(std::move(sink)); }

 private:
  registry::catalog_machine catalog_;
  bool fails_next_{false};
  prng* skip_draws_{nullptr};
};

}  // namespace muster::sim::replicas

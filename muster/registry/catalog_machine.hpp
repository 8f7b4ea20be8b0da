#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "muster/catalog/loader.hpp"
#include "muster/catalog/row.hpp"
#include "muster/catalog/state.hpp"
#include "muster/replication/state_machine.hpp"

namespace muster::registry {

/// The catalog as the replicated state machine: it gives the opaque changes of the replication core their meaning.
/// Owned by the strand. The published state is an immutable value; `observe` hands each new one on.
class catalog_machine final : public replication::state_machine {
 public:
  /// Called with every state that becomes the published one, before `publish` or `install` returns.
  using observer = std::function<void(const catalog::state&)>;

  void observe(observer on_published) { on_published_ = std::move(on_published); }

  /// For the start: takes a row of the store. `corrupt` for one that cannot be.
  [[nodiscard]] result<void> load_row(std::uint8_t table, std::uint64_t key, byte_view value);
  /// All rows of the store have been given.
  [[nodiscard]] result<void> finish_load();

  [[nodiscard]] const catalog::state& published() const noexcept { return published_; }
  /// With the changes of the batch that is being committed.
  [[nodiscard]] const catalog::state& staged() const noexcept { return staged_; }

  [[nodiscard]] result<void> stage(replication::serial number, byte_view change,
                                   std::vector<replication::row_write>& rows) override;
  void publish() override;
  void discard() override;
  [[nodiscard]] std::unique_ptr<replication::snapshot_source> capture() const override;
  [[nodiscard]] std::unique_ptr<replication::snapshot_sink> begin_install() override;
  void install(std::unique_ptr<replication::snapshot_sink> sink) override;

 private:
  void make_published(catalog::state now);

  catalog::loader loader_;
  catalog::state published_;
  catalog::state staged_;
  std::vector<catalog::row> rows_;  // kept between calls for its memory
  observer on_published_;
};

}  // namespace muster::registry

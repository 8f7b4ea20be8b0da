#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "muster/base/prng.hpp"
#include "muster/replication/store.hpp"

namespace muster::sim::replicas {

/// What lies on a disk.
struct disk_image {
  bytes meta;  ///< empty: never written
  std::map<std::pair<std::uint8_t, std::uint64_t>, bytes> rows;
  std::map<std::uint64_t, replication::shared_bytes> log;
  std::uint64_t rows_digest{0};  ///< the sum of `digest_of_row` over all rows

  void write(const replication::row_write& one);
};

/// A disk that keeps its promise to the letter and no more: a step is durable when `settle` has been called after
/// `commit`, as an LMDB transaction is when its fdatasync has returned. Power that goes between the two leaves the old
/// or the new contents, never a mixture, and of a replacement that was not swapped in nothing at all.
///
/// The simulated process calls `commit`, lets the time of the write pass in which it can be killed, calls `settle`, and
/// only then tells its core. A disk outlives the processes that use it.
class disk final : public replication::store {
 public:
  enum class trouble : std::uint8_t {
    none,
    full,    ///< every step is refused and changes nothing
    broken,  ///< the next step fails with `io_error`; whether it took effect is open
  };

  [[nodiscard]] result<void> commit(replication::commit&& step) override;
  [[nodiscard]] result<void> load(replication::load_visitor& visitor) override;

  /// The step accepted last is durable now.
  void settle();
  [[nodiscard]] bool unsettled() const noexcept { return pending_.has_value(); }
  /// The process is gone, with or without the power. `draws` decides what became of an unsettled step.
  /// Returns whether it became durable.
  bool lose_power(prng& draws);
  /// As if the unsettled step had never been handed over.
  void forget_unsettled() noexcept { pending_.reset(); }

  /// Somebody puts other contents on the disk while no process runs.
  void overwrite(disk_image with) { durable_ = std::move(with); }

  void set_trouble(trouble what) noexcept { trouble_ = what; }
  [[nodiscard]] trouble present_trouble() const noexcept { return trouble_; }

  [[nodiscard]] const disk_image& durable() const noexcept { return durable_; }
  /// The sentence about the first step that broke the contract of `store`; empty as long as none did.
  [[nodiscard]] const std::string& broken_contract() const noexcept { return broken_contract_; }

 private:
  void check(const replication::commit& step);
  void complain(std::string what);

  disk_image durable_;
  std::optional<disk_image> replacement_;
  std::optional<replication::commit> pending_;
  trouble trouble_{trouble::none};
  std::string broken_contract_;
};

}  // namespace muster::sim::replicas

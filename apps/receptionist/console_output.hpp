#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "apps/receptionist/console.hpp"
#include "muster/base/result.hpp"
#include "muster/os/line_writer.hpp"

namespace muster::apps {

/// Events as lines on a descriptor, each at once. The console writes; when nobody reads any more, it hears of that.
class console_output final : public event_sink {
 public:
  struct options {
    int fd{1};
    bool writes_json{false};
    people_style style{};
    std::size_t bytes_max{std::size_t{16} * 1024 * 1024};
  };

  [[nodiscard]] static result<std::shared_ptr<console_output>> open(const options& how);

  /// From now on `who` is told that the output has broken, also if that was before.
  void attach(actor_ref<output_broken> who);
  bool write(const console_event& what, instant now) override;
  [[nodiscard]] bool is_drained() const override { return lines_->is_empty(); }
  /// Waits until all has been written, but not longer than `bound`.
  bool drain(duration bound) { return lines_->drain(bound); }

 private:
  explicit console_output(const options& how) : how_{how} {}
  void tell_broken(int cause);

  const options how_;
  std::mutex mutex_;
  actor_ref<output_broken> listener_;
  std::optional<std::string> broken_;
  std::unique_ptr<os::line_writer> lines_;  // the last one: its thread uses what stands above
};

}  // namespace muster::apps

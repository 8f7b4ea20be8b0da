#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/base/event.hpp"
#include "muster/base/result.hpp"
#include "muster/cluster/transport.hpp"
#include "muster/runtime/join_plan.hpp"

namespace muster::cluster {

/// A transport for nodes whose seeds are host names: what is sent to a name goes to all of the host's addresses, but
/// not to this node's own. The name is looked up anew each time, elsewhere, so that nobody waits and a name that is not
/// known yet, or has moved, is found later. All else goes the way that it would go without. Any thread. Inside the
/// folder only.
class named_seeds final : public transport, public std::enable_shared_from_this<named_seeds> {
 public:
  using found = std::function<void(result<std::vector<std::string>>)>;
  /// Never waits; `found` is called on some thread, or never.
  using lookup = std::function<void(const std::string& host, found then)>;

  named_seeds(std::shared_ptr<event_log> log, std::shared_ptr<transport> over, std::vector<seed_name> names,
              lookup look_up);

  [[nodiscard]] result<std::string> start(std::shared_ptr<transport_receiver> to) override;
  void stop() override;
  [[nodiscard]] send_outcome send(const std::string& address, channel on, const shared_frame& frame) override;
  [[nodiscard]] bool has_room(const std::string& address, channel on, std::size_t frame_bytes) const override;
  void expect(const std::string& address, std::string_view name) override;

 private:
  struct name_state {
    seed_name name;
    bool is_member{false};  ///< a node calls itself by this very address: then it is one, and reached as others are
    bool is_asked{false};
    bool is_complained_of{false};
    std::vector<std::pair<channel, shared_frame>> waiting{};
  };

  /// Leaves it to who is to send it: false.
  [[nodiscard]] bool take(const std::string& address, channel on, const shared_frame& frame);
  void handle_found(const std::string& address, const result<std::vector<std::string>>& hosts);
  void exclude(const std::string& address);

  const std::shared_ptr<event_log> log_;  // before what writes to it
  const std::shared_ptr<transport> over_;
  const lookup look_up_;
  mutable std::mutex mutex_;  // never held while others are called
  std::map<std::string, name_state, std::less<>> names_;
  std::set<std::string, std::less<>> own_;  // addresses
  bool is_stopped_{false};
};

}  // namespace muster::cluster

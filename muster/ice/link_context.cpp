#include "muster/ice/link_context.hpp"

#include <algorithm>

namespace muster::ice {

void receiver_gate::open(std::shared_ptr<cluster::transport_receiver> to) {
  const std::lock_guard lock{mutex_};
  receiver_ = std::move(to);
}

void receiver_gate::close() {
  std::shared_ptr<cluster::transport_receiver> released;
  std::unique_lock lock{mutex_};
  released.swap(receiver_);
  left_.wait(lock, [&] { return inside_ == 0; });
}

template <typename Function>
void receiver_gate::enter(Function&& function) const {
  cluster::transport_receiver* to = nullptr;
  {
    const std::lock_guard lock{mutex_};
    if (!receiver_) return;
    to = receiver_.get();
    ++inside_;
  }
  struct leaving {
    const receiver_gate& gate;
    ~leaving() {
      // Notified under the lock: who closes may be the last to know of the gate.
      const std::lock_guard lock{gate.mutex_};
      if (--gate.inside_ == 0) gate.left_.notify_all();
    }
  };
  const leaving whatever_comes{*this};
  function(*to);
}

void receiver_gate::frame(bytes what, std::string_view authenticated_name) const {
  enter([&](cluster::transport_receiver& to) { to.handle_frame(std::move(what), authenticated_name); });
}

void receiver_gate::lost(std::string_view address) const {
  enter([&](cluster::transport_receiver& to) { to.handle_connection_lost(address); });
}

void receiver_gate::refused(std::string_view address) const {
  enter([&](cluster::transport_receiver& to) { to.handle_connection_refused(address); });
}

std::string link_context::expected_at(const std::string& address) const {
  const std::lock_guard lock{mutex_};
  const auto found = expected_.find(address);
  return found == expected_.end() ? std::string{} : found->second;
}

void link_context::expect(const std::string& address, std::string_view name) {
  const std::lock_guard lock{mutex_};
  if (name.empty()) {
    expected_.erase(address);
  } else {
    expected_[address] = name;
  }
}

void link_context::note_failure(std::string_view name, const std::string& address, std::string_view why) {
  if (is_stopped) return;
  constexpr std::size_t complaints_max = 1024;
  {
    const std::lock_guard lock{mutex_};
    if (complained_of_.size() >= complaints_max || !complained_of_.insert(address).second) return;
  }
  std::string line{why};
  std::ranges::replace(line, '\n', ' ');
  log.write(event{severity::warning, name}.with("address", address).with("why", line));
}

void link_context::note_success(const std::string& address) {
  const std::lock_guard lock{mutex_};
  complained_of_.erase(address);
}

void link_context::note_busy() {
  const std::lock_guard lock{mutex_};
  ++busy_;
}

void link_context::note_idle() {
  {
    const std::lock_guard lock{mutex_};
    --busy_;
  }
  idle_.notify_all();
}

bool link_context::wait_until_idle(std::chrono::milliseconds bound) {
  std::unique_lock lock{mutex_};
  return idle_.wait_for(lock, bound, [&] { return busy_ == 0; });
}

}  // namespace muster::ice

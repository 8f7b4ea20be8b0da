#include "muster/ice/cluster_link.hpp"

#include <utility>

#include <fmt/format.h>

#include "muster/ice/exceptions.hpp"
#include "muster/ice/node_certificate.hpp"

namespace muster::ice {
namespace {

/// What the end of a connection says of the peer.
enum class ending : std::uint8_t { graceful, broken };

ending ending_of(const Ice::ConnectionPtr& connection) {
  try {
    connection->throwException();
  } catch (const Ice::CloseConnectionException&) {
    return ending::graceful;
  } catch (const Ice::ConnectionManuallyClosedException&) {
    return ending::graceful;  // by this side
  } catch (const Ice::CommunicatorDestroyedException&) {
    return ending::graceful;
  } catch (const Ice::ObjectAdapterDeactivatedException&) {
    return ending::graceful;
  } catch (...) {
    return ending::broken;
  }
  return ending::graceful;
}

bool is_refusal(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const Ice::ConnectionRefusedException&) {
    return true;
  } catch (...) {
    return false;
  }
}

void close_now(const Ice::ConnectionPtr& connection, Ice::ConnectionClose how) noexcept {
  if (connection) connection->close(how);
}

}  // namespace

cluster_link::cluster_link(std::shared_ptr<link_context> context, Ice::CommunicatorPtr communicator,
                           std::string address, std::string endpoints, std::size_t in_flight_bytes_max,
                           std::function<void(const std::shared_ptr<cluster_link>&)> on_idle)
    : context_{std::move(context)},
      communicator_{std::move(communicator)},
      address_{std::move(address)},
      endpoints_{std::move(endpoints)},
      in_flight_bytes_max_{in_flight_bytes_max},
      on_idle_{std::move(on_idle)} {}

// --- sending ---

cluster_link::taken cluster_link::send(const cluster::shared_frame& frame) {
  const std::size_t charge = frame->size() + flight_overhead_bytes;
  if (in_flight_bytes_.fetch_add(charge) + charge > in_flight_bytes_max_) {
    in_flight_bytes_.fetch_sub(charge);
    return taken::refused;
  }
  bool connects = false;
  Ice::ConnectionPtr given_up;
  {
    const std::lock_guard lock{mutex_};
    if (is_retired_ || is_closing_) {
      in_flight_bytes_.fetch_sub(charge);
      return is_closing_ ? taken::accepted : taken::retired;
    }
    waiting_.push_back(frame);
    if (state_ == state::idle) {
      state_ = state::connecting;
      connects = true;
    } else if (state_ == state::open && verdict_ == verdict::none && is_silent()) {
      verdict_ = verdict::silent;
      given_up = connection_;
    }
  }
  if (connects) {
    context_->note_busy();
    connect();
  } else if (given_up) {
    close_now(given_up, Ice::ConnectionClose::Forcefully);
  } else {
    pump();
  }
  return taken::accepted;
}

void cluster_link::pump() {
  std::unique_lock lock{mutex_};
  if (is_pumping_) return;
  is_pumping_ = true;
  while (state_ == state::open && verdict_ == verdict::none && !waiting_.empty()) {
    const cluster::shared_frame frame = std::move(waiting_.front());
    waiting_.pop_front();
    const auto over = proxy_;
    lock.unlock();
    transmit(*over, frame);
    lock.lock();
  }
  is_pumping_ = false;
  const bool is_done = is_closing_ && state_ == state::open && waiting_.empty();
  const auto done = is_done ? connection_ : nullptr;
  lock.unlock();
  close_now(done, Ice::ConnectionClose::Gracefully);
}

void cluster_link::transmit(Muster::ClusterNodePrx& over, const cluster::shared_frame& frame) {
  const auto self = shared_from_this();
  const std::size_t size = frame->size();
  const auto* const begin = reinterpret_cast<const Ice::Byte*>(frame->data());
  try {
    over.deliverAsync(
        {begin, begin + size}, nullptr,
        [self, size](const std::exception_ptr&) {
          ++self->context_->counted.lost;  // why, the connection's end says
          self->settle(size);
        },
        [self, size](bool) { self->settle(size); });
  } catch (const Ice::LocalException&) {
    ++context_->counted.lost;
    settle(size);
  }
}

void cluster_link::settle(std::size_t frame_bytes) noexcept {
  in_flight_bytes_.fetch_sub(frame_bytes + flight_overhead_bytes);
}

void cluster_link::drop(const std::deque<cluster::shared_frame>& frames) noexcept {
  for (const auto& one : frames) {
    ++context_->counted.lost;
    settle(one->size());
  }
}

bool cluster_link::is_silent() const {
  const instant heard{duration{last_heard_.load(std::memory_order_relaxed)}};
  return context_->now() - heard > context_->silence_timeout;
}

// --- the connection ---

void cluster_link::connect() {
  const auto self = shared_from_this();
  try {
    const auto proxy = communicator_->stringToProxy("node -o:" + endpoints_)
                           ->ice_collocationOptimized(false)
                           // Two addresses may have an endpoint in common; their connections are two all the same.
                           ->ice_connectionId(address_)
                           ->ice_endpointSelection(Ice::EndpointSelectionType::Ordered);
    proxy->ice_getConnectionAsync([self](const Ice::ConnectionPtr& made) { self->handle_connected(made); },
                                  [self](const std::exception_ptr& why) { self->handle_not_connected(why); });
  } catch (const Ice::Exception&) {
    handle_not_connected(std::current_exception());
  }
}

void cluster_link::handle_connected(const Ice::ConnectionPtr& connection) {
  std::string peer_name;
  if (context_->is_secure) {
    if (auto named = node_name_in_certificate(connection)) {
      peer_name = *std::move(named);
    }
  }
  last_heard_ = context_->now().time_since_epoch().count();
  std::string expected;
  bool is_expected = true;
  {
    const std::lock_guard lock{mutex_};
    // Looked up under the lock, so that a change of it that is missed here meets an open link in `check_name`.
    expected = context_->is_secure ? context_->expected_at(address_) : std::string{};
    is_expected = expected.empty() || expected == peer_name;
    verdict_ = is_expected ? verdict::none : verdict::misnamed;
    peer_name_ = peer_name;
    connection_ = connection;
    proxy_ = Ice::uncheckedCast<Muster::ClusterNodePrx>(connection->createProxy({"node", ""})->ice_oneway());
    state_ = state::open;
  }
  ++context_->counted.connections;
  const auto self = shared_from_this();
  connection->setHeartbeatCallback([weak = weak_from_this()](const Ice::ConnectionPtr&) {
    if (const auto link = weak.lock()) {
      ++link->context_->counted.signs_of_life;
      link->last_heard_ = link->context_->now().time_since_epoch().count();
    }
  });
  // Called at once where it is closed already.
  connection->setCloseCallback([self](const Ice::ConnectionPtr& closed) { self->handle_closed(closed); });
  if (!is_expected) {
    ++context_->counted.misnamed;
    context_->note_failure(
        "node_misnamed", address_,
        fmt::format("the certificate there is of '{}', and the node of that address is '{}'", peer_name, expected));
    close_now(connection, Ice::ConnectionClose::Forcefully);
    return;
  }
  context_->note_success(address_);
  pump();
}

void cluster_link::check_name() {
  if (!context_->is_secure) return;
  const std::string expected = context_->expected_at(address_);
  Ice::ConnectionPtr given_up;
  std::string peer_name;
  {
    const std::lock_guard lock{mutex_};
    if (expected.empty() || state_ != state::open || verdict_ != verdict::none || peer_name_ == expected) return;
    verdict_ = verdict::misnamed;
    given_up = connection_;
    peer_name = peer_name_;
  }
  ++context_->counted.misnamed;
  context_->note_failure(
      "node_misnamed", address_,
      fmt::format("the certificate there is of '{}', and the node of that address is '{}'", peer_name, expected));
  close_now(given_up, Ice::ConnectionClose::Forcefully);
}

void cluster_link::handle_not_connected(const std::exception_ptr& why) {
  std::deque<cluster::shared_frame> dropped;
  bool is_closing = false;
  {
    const std::lock_guard lock{mutex_};
    state_ = state::idle;
    dropped.swap(waiting_);
    is_closing = is_closing_;
  }
  drop(dropped);
  if (!is_closing) context_->note_failure("node_not_reached", address_, to_text(why));
  if (is_refusal(why)) {
    context_->receiver.refused(address_);
  } else {
    context_->receiver.lost(address_);
  }
  end(is_closing);
}

void cluster_link::handle_closed(const Ice::ConnectionPtr& connection) {
  std::deque<cluster::shared_frame> dropped;
  verdict why{};
  bool is_closing = false;
  bool connects = false;
  {
    const std::lock_guard lock{mutex_};
    if (connection_ != connection) return;
    connection_ = nullptr;
    proxy_ = nullptr;
    why = std::exchange(verdict_, verdict::none);
    is_closing = is_closing_;
    // What had not been handed over goes by a new connection, but to nobody else.
    if (is_closing || why == verdict::misnamed) dropped.swap(waiting_);
    connects = !waiting_.empty();
    state_ = connects ? state::connecting : state::idle;
  }
  drop(dropped);
  if (!is_closing && (why != verdict::none || ending_of(connection) == ending::broken)) {
    context_->receiver.lost(address_);
  }
  if (connects) {
    connect();
  } else {
    end(is_closing);
  }
}

// --- the end ---

void cluster_link::end(bool is_closing) {
  if (!is_closing) on_idle_(shared_from_this());
  context_->note_idle();
}

bool cluster_link::try_retire() {
  const std::lock_guard lock{mutex_};
  if (state_ != state::idle || !waiting_.empty()) return false;
  is_retired_ = true;
  return true;
}

void cluster_link::close() {
  {
    const std::lock_guard lock{mutex_};
    if (is_closing_) return;
    is_closing_ = true;
  }
  // Closes when nothing waits, or leaves it to who is at work.
  pump();
}

void cluster_link::abort() {
  Ice::ConnectionPtr given_up;
  {
    const std::lock_guard lock{mutex_};
    given_up = connection_;
  }
  close_now(given_up, Ice::ConnectionClose::Forcefully);
}

}  // namespace muster::ice

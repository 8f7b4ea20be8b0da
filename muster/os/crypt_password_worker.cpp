#include "muster/os/crypt_password_worker.hpp"

#include <utility>

namespace muster::os {

crypt_password_worker::crypt_password_worker(crypt_password_file passwords)
    : passwords_{std::move(passwords)}, thread_{[this] { run(); }} {}

crypt_password_worker::~crypt_password_worker() {
  {
    const std::lock_guard guard{mutex_};
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
  for (request& left : waiting_) left.then(fail(errc::unavailable, "the replica is stopping"));
}

void crypt_password_worker::check(std::string user, std::string password, answer then) {
  {
    const std::lock_guard guard{mutex_};
    if (waiting_.size() < waiting_max && !ends_) {
      waiting_.push_back({std::move(user), std::move(password), std::move(then)});
      changed_.notify_one();
      return;
    }
  }
  then(fail(errc::limit_exceeded, "{} password checks are waiting already", waiting_max));
}

void crypt_password_worker::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    request next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next.then(passwords_.accepts(next.user, next.password));
    lock.lock();
  }
}

}  // namespace muster::os

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "muster/base/result.hpp"
#include "muster/os/crypt_password_file.hpp"

namespace muster::os {

/// A thread that checks passwords, because a check takes long on purpose and dispatch threads never wait. What waits is
/// bounded: more is refused at once, so that a flood of wrong passwords costs one thread and no more.
class crypt_password_worker {
 public:
  static constexpr std::size_t waiting_max = 256;

  /// Called on the worker's thread, or on the caller's when the check is refused: `limit_exceeded` where too many wait,
  /// `unavailable` where the worker ends before the check's turn.
  using answer = std::function<void(result<bool> accepted)>;

  explicit crypt_password_worker(crypt_password_file passwords);
  crypt_password_worker(const crypt_password_worker&) = delete;
  crypt_password_worker& operator=(const crypt_password_worker&) = delete;
  ~crypt_password_worker();

  /// Any thread; does not block.
  void check(std::string user, std::string password, answer then);

 private:
  struct request {
    std::string user;
    std::string password;
    answer then;
  };

  void run();

  const crypt_password_file passwords_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<request> waiting_;
  bool ends_{false};
  std::thread thread_;
};

}  // namespace muster::os

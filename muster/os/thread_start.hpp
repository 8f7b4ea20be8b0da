#pragma once

#include <pthread.h>
#include <signal.h>

#include <string>
#include <string_view>
#include <thread>

namespace muster::os {

/// While it lives, threads are made that get no signals: those go to the thread that waits for them (signals.hpp), and
/// a new thread inherits the mask of its maker.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// The name that ps and debuggers show: its first 15 bytes, which is what Linux keeps (pthread_setname_np(3)).
inline void set_name(std::thread& of, std::string_view name) {
  pthread_setname_np(of.native_handle(), std::string{name.substr(0, 15)}.c_str());
}

}  // namespace muster::os

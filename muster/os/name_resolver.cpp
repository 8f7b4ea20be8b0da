#include "muster/os/name_resolver.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace muster::os {
namespace {

constexpr std::size_t waiting_max = 1000;

}  // namespace

std::string host_name() {
  std::array<char, 256> text{};
  if (::gethostname(text.data(), text.size() - 1) != 0 || text.front() == '\0') return "host";
  return text.data();
}

bool is_numeric_host(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  // An IPv6 address of one link is followed by that link.
  const std::string address = host.substr(0, host.find('%'));
  return ::inet_pton(AF_INET, address.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, address.c_str(), ignored.data()) == 1;
}

result<std::vector<std::string>> addresses_of(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  if (const int failed = ::getaddrinfo(host.c_str(), nullptr, &wanted, &all); failed != 0) {
    return fail(errc::not_found, "the host name '{}' cannot be resolved: {}", host,
                std::string_view{::gai_strerror(failed)});
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{all, &::freeaddrinfo};
  std::vector<std::string> out;
  for (const addrinfo* one = all; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    std::string address{text.data()};
    if (std::ranges::find(out, address) == out.end()) out.push_back(std::move(address));
  }
  return out;
}

struct name_resolver::state {
  struct question {
    std::string host;
    found then;
  };

  std::mutex mutex;
  std::condition_variable changed;
  // Under the mutex.
  std::deque<question> waiting;
  bool is_busy{false};
  bool is_stopping{false};
};

name_resolver::name_resolver() : state_{std::make_shared<state>()} {
  // Signals go to the thread that waits for them (signals.hpp): a new thread inherits the mask of its maker.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread{[shared = state_] { work(shared); }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "names");
}

name_resolver::~name_resolver() {
  bool is_busy = false;
  std::deque<state::question> dropped;
  {
    const std::lock_guard lock{state_->mutex};
    state_->is_stopping = true;
    dropped.swap(state_->waiting);
    is_busy = state_->is_busy;
  }
  state_->changed.notify_one();
  // getaddrinfo(3) cannot be interrupted. The thread that is in there ends by itself, and touches nothing but its
  // state.
  if (is_busy) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

bool name_resolver::look_up(std::string host, found then) {
  {
    const std::lock_guard lock{state_->mutex};
    if (state_->waiting.size() >= waiting_max) return false;
    state_->waiting.push_back({std::move(host), std::move(then)});
  }
  state_->changed.notify_one();
  return true;
}

void name_resolver::work(const std::shared_ptr<state>& shared) {
  std::unique_lock lock{shared->mutex};
  while (true) {
    shared->changed.wait(lock, [&] { return shared->is_stopping || !shared->waiting.empty(); });
    if (shared->is_stopping) return;
    const auto next = std::move(shared->waiting.front());
    shared->waiting.pop_front();
    shared->is_busy = true;
    lock.unlock();
    auto answer = addresses_of(next.host);
    lock.lock();
    if (shared->is_stopping) return;
    lock.unlock();
    next.then(std::move(answer));
    lock.lock();
    shared->is_busy = false;
  }
}

}  // namespace muster::os

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "muster/base/result.hpp"

namespace muster::os {

/// The name of this machine; "host" where it has none.
[[nodiscard]] std::string host_name();

/// An IPv4 or IPv6 address, not a name that must be looked up.
[[nodiscard]] bool is_numeric_host(const std::string& host);

/// The host's addresses in numbers, each once, in the order of preference; `not_found` with the reason else. Blocks for
/// as long as the name servers take.
[[nodiscard]] result<std::vector<std::string>> addresses_of(const std::string& host);

/// Looks host names up, one after the other, on a thread of its own: a name server may take its time.
class name_resolver {
 public:
  /// What `addresses_of` gives.
  using found = std::function<void(result<std::vector<std::string>>)>;

  name_resolver();
  name_resolver(const name_resolver&) = delete;
  name_resolver& operator=(const name_resolver&) = delete;
  /// Returns at once, also while a lookup takes its time: what it finds is dropped, as is what waits.
  ~name_resolver();

  /// Any thread; never waits. `then` is called on the resolver's thread. False, and nothing comes of it, when a
  /// thousand names wait already.
  bool look_up(std::string host, found then);

 private:
  struct state;
  static void work(const std::shared_ptr<state>& shared);

  std::shared_ptr<state> state_;
  std::thread thread_;
};

}  // namespace muster::os

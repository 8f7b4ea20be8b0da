#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/receptionist/follower.hpp"
#include "bench/receptionist/muster_node.hpp"

namespace muster::bench {

/// One node with muster's receptionist, as the measurements drive it. What the commands mean, here and in pg_peer.erl:
///
///     members N             waits for so many members
///     spawn N               starts so many actors, which the commands below register
///     follow KEY            subscribes
///     await KEY N           waits until the subscriber was told of N actors; when that was
///     register KEY          registers the first actor, acknowledged; when that began
///     deregister KEY        likewise
///     fill PREFIX N         registers the actors in turn under N keys of 16 characters; when that began and ended
///     crowd KEY             registers all actors under one key
///     count PREFIX N        how many of these keys have an actor
///     sample PREFIX N M     follows M of these keys, evenly spread, and waits until all of them have an actor
///     gone PREFIX N         waits until the followed keys have none; when that was, and how many keys still had one
///     then
///                           (for which it waits, too)
///     lookup KEY N          N reads; nanoseconds, and how many actors there are
///     find KEY N            N questions by message, one after the other; nanoseconds
///     churn N M             N times register and deregister, acknowledged, M at a time where that can be; nanoseconds
///     settle                gives back what memory can be given back
///     heap                  bytes of memory in use
///     traffic               frames, bytes and bytes of gossip sent so far (muster only)
class muster_peer {
 public:
  explicit muster_peer(muster_node& at);

  /// "ok NUMBER..." or "error WHAT".
  [[nodiscard]] std::string answer(const std::string& line);

 private:
  using numbers = std::vector<std::int64_t>;
  using words = std::vector<std::string>;

  numbers spawn(std::size_t count);
  numbers follow(const std::string& key);
  numbers register_one(const std::string& key);
  numbers deregister_one(const std::string& key);
  numbers fill(const std::string& prefix, std::size_t count);
  numbers crowd(const std::string& key);
  numbers sample(const std::string& prefix, std::size_t count, std::size_t samples);
  numbers gone(const std::string& prefix, std::size_t count);
  numbers lookup(const std::string& key, std::size_t count);
  numbers find(const std::string& key, std::size_t count);
  numbers churn(std::size_t count, std::size_t outstanding);
  numbers heap();

  [[nodiscard]] std::vector<service_key<work>> remaining(const std::string& prefix, std::size_t count) const;

  muster_node& at_;
  std::map<std::string, std::function<numbers(const words&)>, std::less<>> commands_;
  std::vector<actor_ref<work>> actors_;
  std::shared_ptr<followed_keys> followed_;
  actor_ref<listing<work>> follower_;
  std::vector<std::string> samples_;
};

/// Answers standard input until it ends.
int serve_as_muster_peer(const muster_node_options& how);

}  // namespace muster::bench

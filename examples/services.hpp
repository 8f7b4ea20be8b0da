// What the nodes of an example share: the messages of its services, and the keys that they are found by. Both sides of
// a service include the same header, so neither can mistake what the other takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "muster/muster.hpp"

namespace example {

// --- hello.cpp ---

struct greeting {
  static constexpr std::string_view message_name = "example.greeting";  // once, and for good: nodes compare it
  std::string text;
};

struct hello {
  static constexpr std::string_view message_name = "example.hello";
  std::string from;
  muster::actor_ref<greeting> reply_to;  // a ref travels, too: the answer finds its way to the asking node
};

inline const muster::service_key<hello> hello_key{"hello"};

// --- workers.cpp ---

struct square {
  static constexpr std::string_view message_name = "example.square";
  std::int64_t value{0};
  std::string by;  // the worker's node
};

struct job {
  static constexpr std::string_view message_name = "example.job";
  std::int64_t number{0};
  muster::actor_ref<square> reply_to;
};

inline const muster::service_key<job> worker_key{"workers"};

// --- coordinator.cpp ---

struct candidacy {
  static constexpr std::string_view message_name = "example.candidacy";
  std::string note;
};

struct ticket {
  static constexpr std::string_view message_name = "example.ticket";
  std::int64_t number{0};
  std::string by;  // the coordinator's node
};

struct ticket_request {
  static constexpr std::string_view message_name = "example.ticket_request";
  std::int64_t above{0};  // the highest number that the asking node has seen
  muster::actor_ref<ticket> reply_to;
};

inline const muster::service_key<candidacy> candidate_key{"candidates"};
inline const muster::service_key<ticket_request> coordinator_key{"coordinator"};

}  // namespace example

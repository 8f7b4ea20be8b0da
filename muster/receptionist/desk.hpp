#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "muster/receptionist/directory.hpp"
#include "muster/receptionist/options.hpp"
#include "muster/receptionist/published.hpp"
#include "muster/receptionist/scene.hpp"

namespace muster::receptionist {

/// What the receptionist's actor shares with those who hold a handle to it. The actor writes; any thread reads.
struct desk {
  struct tally {
    std::atomic<std::uint64_t> registered{0};
    std::atomic<std::uint64_t> deregistered{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> subscriptions_rejected{0};
    std::atomic<std::uint64_t> listings_told{0};
    std::atomic<std::uint64_t> messages_without_use{0};
    std::atomic<std::uint64_t> failures{0};
  };

  receptionist::settings how;
  std::shared_ptr<scene> seen_in;
  std::shared_ptr<published> shown;
  std::shared_ptr<receptionist::directory> directory;
  bool is_local{true};  ///< started for this node alone
  tally counted;
};

}  // namespace muster::receptionist

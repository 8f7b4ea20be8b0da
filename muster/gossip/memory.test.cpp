// What a registration costs in memory: a target of the library, so it is bounded here.
//
// The test program counts what is allocated by replacing the global operators: unlike the figures of malloc this works
// under the sanitizers, too.

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "muster/gossip/test_network.hpp"

namespace {

std::atomic<std::size_t> held_bytes{0};

/// Each block of malloc has a word of its own beside what can be used.
std::size_t cost_of(void* block) { return malloc_usable_size(block) + sizeof(std::size_t); }

}  // namespace

void* operator new(std::size_t size) {
  void* const out = std::malloc(size);
  if (out == nullptr) {
    throw std::bad_alloc{};
  }
  held_bytes += cost_of(out);
  return out;
}
void* operator new[](std::size_t size) { return ::operator new(size); }
void operator delete(void* block) noexcept {
  if (block != nullptr) {
    held_bytes -= cost_of(block);
    std::free(block);
  }
}
void operator delete[](void* block) noexcept { ::operator delete(block); }
void operator delete(void* block, std::size_t) noexcept { ::operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { ::operator delete(block); }

namespace muster::gossip::testing {
namespace {

constexpr std::size_t many = 100'000;

class memory : public ::testing::Test {
 protected:
  memory() { g_.start_all(2); }

  void register_all(bool own_path_each) {
    for (std::size_t i = 0; i < many; ++i) {
      const std::string key = fmt::format("service-{:08}", i);  // 16 characters
      const std::string path = own_path_each ? fmt::format("/user/worker-{:06}", i) : "/user/worker";
      ASSERT_TRUE(g_.gossip("A").add(key, some_entry(path, 1, "::Demo::Api")));
    }
  }
  /// What A has to say, in bytes.
  [[nodiscard]] std::vector<bytes> said() {
    std::vector<bytes> out;
    for (const outgoing& one : g_.gossip("A").poll_ready().messages) {
      out.push_back(encode(one.what));
    }
    return out;
  }
  void hear(const std::vector<bytes>& all) {
    for (const bytes& one : all) {
      g_.gossip("B").handle_message(g_.at("A").id, *decode(one), g_.now());
      (void)g_.gossip("B").poll_ready();
    }
    ASSERT_EQ(g_.gossip("B").registration_count(), many);
  }
  void expect_below(std::size_t bytes_each_max, bool own_path_each) {
    const std::size_t before = held_bytes;
    register_all(own_path_each);
    std::vector<bytes> sent = said();
    std::size_t sent_bytes = 0;
    for (const bytes& one : sent) {
      sent_bytes += one.size();
    }
    const std::size_t full = held_bytes;
    hear(sent);
    const std::size_t remote = held_bytes - full;
    sent = std::vector<bytes>{};
    const std::size_t local = held_bytes - before - remote;
    RecordProperty("local_bytes", static_cast<int>(local / many));
    RecordProperty("remote_bytes", static_cast<int>(remote / many));
    RecordProperty("wire_bytes", static_cast<int>(sent_bytes / many));
    EXPECT_LT(local / many, bytes_each_max);
    EXPECT_LT(remote / many, bytes_each_max);
  }
  network g_;
};

TEST_F(memory, of_a_registration_is_small_where_each_has_its_own_path) { expect_below(200, true); }

TEST_F(memory, of_a_registration_is_smaller_where_actors_have_many_keys) { expect_below(150, false); }

TEST_F(memory, is_given_back_when_an_origin_goes) {
  register_all(true);
  const std::vector<bytes> sent = said();
  const std::size_t before = held_bytes;
  hear(sent);
  const std::size_t full = held_bytes - before;
  g_.gossip("B").forget(g_.at("A").id, g_.now());
  EXPECT_EQ(g_.gossip("B").poll_ready().changes.size(), many);
  // What stays is the log.
  EXPECT_LT(held_bytes - before, full / 4);
}

TEST_F(memory, does_not_grow_with_changes_that_take_each_other_back) {
  std::size_t after_some = 0;
  for (int i = 0; i < 60'000; ++i) {
    g_.add("A", "flips");
    g_.remove("A", "flips");
    g_.settle();
    if (i == 20'000) {
      after_some = held_bytes;  // the logs are full now
    }
  }
  EXPECT_LT(held_bytes, after_some + 200'000);
}

}  // namespace
}  // namespace muster::gossip::testing

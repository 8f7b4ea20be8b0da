#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "muster/base/prng.hpp"
#include "muster/cluster/options.hpp"
#include "muster/receptionist/core.hpp"
#include "sim/links.hpp"

namespace muster::sim::peers {

/// A defect put in on purpose, outside the cores, to prove that the checker sees it. See docs/simulation.md.
enum class sabotage : std::uint8_t {
  none,
  loses_changes,           ///< now and then a change never reaches the receptionist
  raises_the_dead,         ///< a registration of a member that was removed is shown again
  invents_registrations,   ///< something is shown that nobody registered
  forgets_withdrawals,     ///< what is deregistered stays registered in the cluster
  skips_versions,          ///< an operation of an origin is left out of its state
  repeats_listings,        ///< a subscriber is told what it knows already
  withholds_listings,      ///< a subscriber is not told a change
  reverses_news,           ///< the receptionist gets two news in the wrong order
  swallows_gossip,         ///< the network carries no frame of registrations to one machine
  stays_cut,               ///< one machine stays cut off from all others when the faults end
  reuses_incarnations,     ///< a restarted process takes the incarnation of the one before
  repeats_messages,        ///< a message between actors is handed over twice
  loses_ends,              ///< now and then the end of a watched actor is not told
  repeats_ends,            ///< or told twice
  ends_the_unreachable,    ///< actors are said to have ended because their node cannot be reached
  forgets_unwatches,       ///< what is watched no more is watched nevertheless
  swallows_confirmations,  ///< the network carries no word of who has heard of an end
  confuses_addresses,      ///< a member is told of with the address of another one
};
[[nodiscard]] std::string_view to_string(sabotage what) noexcept;
inline constexpr std::size_t sabotages = 19;

/// How often each kind of trouble is chosen when it is time for one; 0 leaves it out of this seed.
struct trouble_weights {
  std::uint32_t kill{0};       ///< kill -9, and a restart at the same address, at once or late
  std::uint32_t lose_host{0};  ///< the power of one machine
  std::uint32_t kill_many{0};  ///< up to all of them
  std::uint32_t leave{0};
  std::uint32_t pause{0};       ///< SIGSTOP, and SIGCONT
  std::uint32_t suspend{0};     ///< the machine sleeps: its steady clock stands still as well
  std::uint32_t partition{0};   ///< two sides, or one machine alone; in both directions or one
  std::uint32_t cut_link{0};    ///< between two machines
  std::uint32_t reset{0};       ///< a connection breaks, or is said to be refused, though both processes live
  std::uint32_t weather{0};     ///< the network becomes worse, or better
  std::uint32_t clock_jump{0};  ///< of the wall clock
  std::uint32_t move{0};        ///< kill -9, and a restart under the same name at an address that was free
  std::uint32_t swap{0};        ///< two of them, each of which is restarted at the other's address

  [[nodiscard]] std::uint32_t total() const noexcept {
    return kill + lose_host + kill_many + leave + pause + suspend + partition + cut_link + reset + weather +
           clock_jump + move + swap;
  }
};

/// How often callers do what, of each kind of call.
struct call_weights {
  std::uint32_t add{4};
  std::uint32_t remove{3};
  std::uint32_t stop_actor{1};  ///< all that it registered goes, and all that it subscribed to
  std::uint32_t subscribe{2};
  std::uint32_t unsubscribe{1};
  std::uint32_t find{1};
  std::uint32_t tell{2};   ///< a message to an actor elsewhere
  std::uint32_t watch{2};  ///< an actor elsewhere, of now or of before
  std::uint32_t unwatch{1};
  std::uint32_t stop_watched{1};  ///< an actor that may be watched

  [[nodiscard]] std::uint32_t total() const noexcept {
    return add + remove + stop_actor + subscribe + unsubscribe + find + tell + watch + unwatch + stop_watched;
  }
};

/// Everything that a seed decides before the run: a random subset of troubles in random strengths (swarm testing:
/// Groce and others, "Swarm Testing", ISSTA 2012), so that rare combinations are not drowned by the usual ones.
struct scenario {
  std::size_t nodes{3};
  std::size_t spare_addresses{0};  ///< at which no node is in the beginning
  std::size_t seeds{3};            ///< the first addresses, which all know
  trouble_weights troubles;
  duration trouble_interval{std::chrono::seconds{3}};  ///< about
  duration trouble_lasts_max{std::chrono::seconds{6}};
  duration restart_after_max{std::chrono::seconds{3}};

  link_quality quality;
  bool keeps_order{false};
  std::uint32_t ends_noticed_percent{100};

  duration turn_time_max{};  ///< from an input until its effects are taken
  duration hop_time_max{};   ///< between the node and the receptionist of one process
  std::int32_t clock_drift_ppm_max{0};

  duration call_interval{std::chrono::milliseconds{100}};  ///< about, between bursts of calls
  std::size_t burst_max{1};
  std::size_t keys{6};
  std::size_t actors{8};       ///< on each machine
  std::size_t watchable{4};    ///< of other actors on each machine, which may be watched from elsewhere
  std::size_t path_bytes{10};  ///< of an actor, at least: long ones fill messages and chunks
  call_weights calls;

  duration safety_lasts{std::chrono::seconds{40}};
  /// Name, cluster and seeds are each process's own.
  cluster::options core;
  receptionist::core::bounds subscribers;

  [[nodiscard]] static scenario of_seed(prng& draws, bool is_long);
  [[nodiscard]] std::string describe() const;
  /// The bounds of all registrations together are so tight that nodes may show different ones.
  [[nodiscard]] bool is_crowded() const noexcept {
    return core.gossip.registrations_max < 10'000 || core.gossip.keys_max < keys;
  }
  /// So few are allowed that some count as ended over it.
  [[nodiscard]] bool has_few_watches() const noexcept { return core.watches_per_node_max < 1000; }
};

/// The keys that callers use are those of 0 to `scenario::keys` - 1.
[[nodiscard]] std::string key_of(std::size_t number);
/// What machine `which` is called.
[[nodiscard]] std::string name_of(node_index which);
/// Back: nothing if no machine is called so.
[[nodiscard]] std::optional<node_index> index_of_name(std::string_view name);
/// A host on the network; machine `which` is at that of its number until it moves. Its address, and for the trace.
[[nodiscard]] std::string address_of(node_index host);
[[nodiscard]] std::string host_name_of(node_index host);
/// Back. The address is one of `address_of`.
[[nodiscard]] node_index index_of_address(std::string_view address);

}  // namespace muster::sim::peers

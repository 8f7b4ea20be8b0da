#include "muster/receptionist/receptionist.hpp"

#include <algorithm>
#include <map>

#include "muster/actor/guarded.hpp"
#include "muster/receptionist/cluster_directory.hpp"
#include "muster/receptionist/local_directory.hpp"

namespace muster::receptionist {

namespace {

constexpr std::string_view path = "/system/cluster/receptionist";
constexpr std::string_view name = "cluster/receptionist";

/// The receptionists of this process, so that starting one twice gives the same. An entry whose desk is gone stands for
/// a system that is gone; its address may have another one meanwhile.
using desks = std::map<const actor_kernel::system_core*, std::weak_ptr<desk>>;

actor_kernel::guarded<desks>& all_desks() {
  static actor_kernel::guarded<desks> all;
  return all;
}

result<handle> present(const std::shared_ptr<desk>& at, actor_ref<message> whom, const actor_system& system,
                       const directory* wanted) {
  if (wanted != nullptr && at->is_local) {
    return fail(errc::conflict,
                "the receptionist of '{}' was started for this node alone and cannot join a cluster now: start it with "
                "the cluster first",
                system.name());
  }
  if (wanted != nullptr && !wanted->is_same(*at->directory)) {
    return fail(errc::conflict, "the receptionist of '{}' was started with another node of a cluster", system.name());
  }
  return handle{at, std::move(whom)};
}

result<handle> start_new(actor_system& system, std::shared_ptr<directory> registrations, const settings& how,
                         std::weak_ptr<desk>& place) {
  auto at = std::make_shared<desk>();
  at->how = how;
  at->is_local = registrations == nullptr;
  if (at->is_local) {
    // So that an interval which no cluster would take is refused here as well.
    gossip::options bounds;
    bounds.gossip_interval = how.gossip_interval;
    bounds.forgotten_horizon = std::max(bounds.forgotten_horizon, 10 * how.gossip_interval);
    auto own = local_directory::make(bounds, system.node().name);
    if (!own) return fail(std::move(own).error());
    registrations = *std::move(own);
  } else if (how.gossip_interval != registrations->gossip_interval()) {
    if (auto set = registrations->set_gossip_interval(how.gossip_interval); !set) return fail(std::move(set).error());
  }
  at->directory = std::move(registrations);
  at->seen_in = std::make_shared<scene>(system.core());
  at->shown = std::make_shared<published>();
  auto whom =
      system.try_spawn_system<receptionist_actor>(spawn_options{.name = std::string{name}, .is_brief = true}, at);
  if (!whom) return fail(std::move(whom).error());
  place = at;
  return handle{std::move(at), *std::move(whom)};
}

}  // namespace

void handle::publish_unrouted(const actor_kernel::message_type& type) const {
  desk_->seen_in->system()->letters().publish(ref_, type, dead_letter_reason::unreachable);
}

counters handle::counters() const {
  const auto read = [](const std::atomic<std::uint64_t>& one) { return one.load(std::memory_order_relaxed); };
  const desk::tally& from = desk_->counted;
  return {.registered = read(from.registered),
          .deregistered = read(from.deregistered),
          .refused = read(from.refused),
          .subscriptions_rejected = read(from.subscriptions_rejected),
          .listings_told = read(from.listings_told),
          .mismatched_types = desk_->seen_in->mismatches(),
          .messages_without_use = read(from.messages_without_use),
          .failures = read(from.failures)};
}

result<handle> try_start(actor_system& system, std::shared_ptr<directory> registrations, const options& how) {
  const auto settings =
      how.resolve(registrations ? registrations->gossip_interval() : receptionist::settings{}.gossip_interval);
  if (!settings) return fail(settings.error());
  // This lock comes before all of the kernel's, none of which is held by anyone who calls this.
  return all_desks().with([&](desks& all) -> result<handle> {
    std::erase_if(all, [](const auto& one) { return one.second.expired(); });
    std::weak_ptr<desk>& place = all[system.core().get()];
    if (const auto at = place.lock()) {
      // Null when it has been stopped since: then a new one may take its place.
      const any_ref found = system.find(path);
      if (auto whom = ref_for<message>(found)) return present(at, std::move(whom), system, registrations.get());
    }
    return start_new(system, std::move(registrations), *settings, place);
  });
}

result<handle> try_start(actor_system& system, const std::shared_ptr<cluster::node>& joined, const options& how) {
  if (joined == nullptr) return try_start(system, nullptr, how);
  return try_start(system, std::shared_ptr<directory>{std::make_shared<cluster_directory>(joined)}, how);
}

handle start(actor_system& system, const std::shared_ptr<cluster::node>& joined, const options& how) {
  auto started = try_start(system, joined, how);
  if (!started) throw refused{std::move(started).error()};
  return *std::move(started);
}

handle start(actor_system& system, std::shared_ptr<directory> registrations, const options& how) {
  auto started = try_start(system, std::move(registrations), how);
  if (!started) throw refused{std::move(started).error()};
  return *std::move(started);
}

}  // namespace muster::receptionist

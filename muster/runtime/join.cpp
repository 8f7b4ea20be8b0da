#include "muster/runtime/join.hpp"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "muster/ice/cluster_transport.hpp"
#include "muster/ice/message_streams.hpp"
#include "muster/message/inbound.hpp"
#include "muster/os/clock.hpp"
#include "muster/os/entropy.hpp"
#include "muster/os/name_resolver.hpp"
#include "muster/runtime/join_plan.hpp"
#include "muster/runtime/named_seeds.hpp"

namespace muster::cluster {
namespace {

/// The log of an actor system, for those who may outlive it: nothing is written then.
class system_log final : public event_log {
 public:
  explicit system_log(std::shared_ptr<actor_kernel::system_core> core) : core_{std::move(core)} {}
  [[nodiscard]] bool wants(severity) const noexcept override { return true; }
  void write(const event& what) override { core_->write(what); }

 private:
  const std::shared_ptr<actor_kernel::system_core> core_;
};

named_seeds::lookup make_lookup(bool is_needed) {
  if (!is_needed) return [](const std::string&, const named_seeds::found&) {};
  return [names = std::make_shared<os::name_resolver>()](const std::string& host, named_seeds::found then) {
    (void)names->look_up(host, std::move(then));
  };
}

}  // namespace

result<std::shared_ptr<node>> try_join(actor_system& system, join_options how) {
  auto codecs = std::move(how.codecs);
  constexpr std::uint64_t distinctions = 1U << 24U;
  auto plan = plan_join(std::move(how), {.system = system.name(),
                                         .node = system.node().name,
                                         .host = os::host_name(),
                                         .distinction = fmt::format("{:06x}", os::entropy_seed() % distinctions)});
  if (!plan) return fail(std::move(plan).error());
  auto log = std::make_shared<system_log>(system.core());
  if (codecs == nullptr) {
    codecs = message::inbound_messages(std::make_shared<ice::message_streams>(plan->wire.properties, log));
  }
  auto wire = ice::cluster_transport::make(std::move(plan->wire), *log);
  if (!wire) return fail(std::move(wire).error());
  const bool has_names = !plan->names.empty();
  auto over =
      std::make_shared<named_seeds>(std::move(log), *std::move(wire), std::move(plan->names), make_lookup(has_names));
  return try_join(system, std::move(plan->node),
                  attachment{.over = std::move(over),
                             .codecs = std::move(codecs),
                             .wall_clock_ms = static_cast<std::uint64_t>(os::wall_clock_ms()),
                             .seed = os::entropy_seed()});
}

std::shared_ptr<node> join(actor_system& system, join_options how) {
  auto joined = try_join(system, std::move(how));
  if (!joined) throw refused{std::move(joined).error()};
  return *std::move(joined);
}

}  // namespace muster::cluster

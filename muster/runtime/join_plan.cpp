#include "muster/runtime/join_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "muster/actor/actor_address.hpp"
#include "muster/base/duration_text.hpp"
#include "muster/cluster/frame.hpp"
#include "muster/config/endpoint_text.hpp"
#include "muster/ice/cluster_address.hpp"
#include "muster/membership/messages.hpp"
#include "muster/os/clock.hpp"
#include "muster/os/file.hpp"
#include "muster/os/name_resolver.hpp"
#include "muster/runtime/property_reader.hpp"

namespace muster::cluster {
namespace {

constexpr std::string_view loopback = "tcp -h 127.0.0.1";
constexpr std::size_t seeds_file_bytes_max = std::size_t{1024} * 1024;
constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The pieces between the separators, without blanks around them and without empty ones.
std::vector<std::string> pieces(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (const auto one = trimmed(text.substr(0, end)); !one.empty()) out.emplace_back(one);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

result<std::vector<std::string>> read_seeds_file(const std::string& path) {
  const auto content = os::read_file(path, seeds_file_bytes_max);
  if (!content) {
    return fail(content.error().code, "the file of seeds (cluster.seeds-file) cannot be read: {}",
                content.error().message);
  }
  std::vector<std::string> out;
  for (const auto& line : pieces({reinterpret_cast<const char*>(content->data()), content->size()}, '\n')) {
    if (const auto seed = trimmed(std::string_view{line}.substr(0, line.find('#'))); !seed.empty()) {
      out.emplace_back(seed);
    }
  }
  return out;
}

/// Each endpoint is a seed of its own, and one at a name is looked up at each attempt.
result<void> add_seed(const std::string& seed, bool is_encrypted, join_plan& to) {
  const auto read = ice::parse_cluster_address(seed);
  if (!read) return fail(errc::invalid_argument, "the seed {}", read.error().message);
  if (read->is_encrypted != is_encrypted) {
    return fail(errc::invalid_argument,
                "the seed '{}' does not speak as this node does, which listens {} TLS; allowed is {}", seed,
                is_encrypted ? "with" : "without", is_encrypted ? "ssl or wss" : "tcp or ws");
  }
  const auto endpoints = config::parse_endpoints(read->text);
  for (const auto& one : *endpoints) {
    auto address = ice::with_host(one.transport, *one.host, one.port);
    if (std::ranges::find(to.node.seeds, address) != to.node.seeds.end()) continue;
    if (!os::is_numeric_host(*one.host)) to.names.push_back({address, one.transport, *one.host, one.port});
    to.node.seeds.push_back(std::move(address));
  }
  return {};
}

void read_settings(property_reader& from, options& node, ice::cluster_transport_options& wire) {
  auto& membership = node.membership;
  from.time("probe-interval", membership.probe_interval);
  from.time("probe-timeout", membership.probe_timeout);
  from.time("suspicion-time", membership.suspicion_time);
  from.time("removal-timeout", membership.removal_timeout);
  from.time("removed-horizon", membership.removed_horizon, std::chrono::seconds{1}, std::chrono::hours{720});
  from.time("heal-interval", membership.heal_interval);
  from.time("join-retry-min", membership.join_retry_min);
  from.time("join-retry-max", membership.join_retry_max);
  from.time("leave-timeout", membership.leave_timeout);
  from.flag("keep-majority", membership.keep_majority);
  from.time("majority-delay", membership.majority_delay);
  from.bytes("frame-bytes-max", node.frame_bytes_max, frame_bytes_least, frame_bytes_most,
             fmt::format("a number of bytes from {} to {}", frame_bytes_least, frame_bytes_most));
  // What has no property of its own makes room for it.
  node.waiting_bytes_max = std::max(node.waiting_bytes_max, node.frame_bytes_max);
  node.arrived_bytes_max = std::max(node.arrived_bytes_max, node.frame_bytes_max);
  // The transport takes whatever the node sends.
  wire.frame_bytes_max =
      std::max({node.frame_bytes_max, node.gossip.message_bytes_max, membership::any_message_bytes_max}) +
      frame_overhead_bytes_max;
  wire.in_flight_bytes_max = std::max(wire.in_flight_bytes_max, 4 * node.frame_bytes_max);
  const std::size_t two_frames = 2 * wire.frame_bytes_max;
  from.bytes("in-flight-bytes-max", wire.in_flight_bytes_max, two_frames, std::numeric_limits<std::size_t>::max(),
             fmt::format("a number of bytes from {} on, which is two frames (cluster.frame-bytes-max)", two_frames));
  const auto milliseconds = [&](std::string_view leaf, std::chrono::milliseconds& setting) {
    duration time{setting};
    from.time(leaf, time);
    setting = std::chrono::ceil<std::chrono::milliseconds>(time);
  };
  milliseconds("connect-timeout", wire.connect_timeout);
  milliseconds("stop-timeout", wire.stop_timeout);
  duration silence{wire.silence_timeout};
  from.time("silence-timeout", silence, std::chrono::seconds{1});
  wire.silence_timeout = std::chrono::ceil<std::chrono::seconds>(silence);
}

/// Names must be unique in the cluster, and a program that runs on many machines has one name for its system. With TLS
/// a name made up here could not stand in the certificate.
result<std::string> name_of(std::string given, bool is_encrypted, const joining_process& who) {
  if (!given.empty()) return given;
  if (who.node != who.system) return who.node;
  if (is_encrypted) {
    return fail(errc::invalid_argument,
                "cluster.node-name is not set; allowed is the name that stands in this node's certificate");
  }
  constexpr std::size_t host_bytes_max = 64;
  std::string host = who.host.substr(0, host_bytes_max);
  std::ranges::replace_if(
      host,
      [](char c) {
        return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '-';
      },
      '-');
  return fmt::format("{}-{}", host, who.distinction);
}

/// What depends on another setting, or has its default from elsewhere.
result<void> check_together(const options& node) {
  const auto& membership = node.membership;
  if (auto named =
          actor_kernel::check_name("the node's name (cluster.node-name)", node.name, membership::name_bytes_max);
      !named) {
    return named;
  }
  if (node.cluster.size() > membership::cluster_bytes_max) {
    return fail(errc::invalid_argument, "cluster.name is '{}', {} bytes; allowed is 1 to {} bytes", node.cluster,
                node.cluster.size(), membership::cluster_bytes_max);
  }
  if (node.seeds.size() > membership.seeds_max) {
    return fail(errc::invalid_argument, "cluster.seeds and cluster.seeds-file give {} addresses; allowed is up to {}",
                node.seeds.size(), membership.seeds_max);
  }
  if (membership.join_retry_max < membership.join_retry_min) {
    return fail(errc::invalid_argument,
                "cluster.join-retry-max is {}; allowed is cluster.join-retry-min, which is {}, or more",
                to_duration_text(membership.join_retry_max), to_duration_text(membership.join_retry_min));
  }
  if (membership.keep_majority && membership.majority_delay >= membership.removal_timeout) {
    return fail(errc::invalid_argument,
                "cluster.majority-delay is {}; allowed with cluster.keep-majority is less than "
                "cluster.removal-timeout, which is {}, because the members before a split are counted",
                to_duration_text(membership.majority_delay), to_duration_text(membership.removal_timeout));
  }
  return {};
}

}  // namespace

result<join_plan> plan_join(join_options how, const joining_process& who) {
  join_plan out;
  out.node = std::move(how.more);
  out.wire.now = os::now;

  property_reader properties{how.properties};
  std::string name;
  std::string cluster;
  std::string listen{loopback};
  std::string published;
  std::string seeds;
  std::string seeds_file;
  properties.text("node-name", name);
  properties.text("name", cluster);
  properties.text("listen", listen);
  properties.text("published", published);
  properties.text("seeds", seeds);
  properties.text("seeds-file", seeds_file);
  std::optional<bool> only_from_origin;
  properties.flag("only-from-origin", only_from_origin);
  read_settings(properties, out.node, out.wire);
  properties.refuse_unknown();
  if (!properties.outcome()) return fail(properties.outcome().error());

  const auto prefer = [](std::string& option, std::string& property) {
    return option.empty() ? std::move(property) : std::move(option);
  };
  out.wire.listen = prefer(how.listen, listen);
  out.wire.published = prefer(how.published, published);
  if (how.probe_interval) out.node.membership.probe_interval = *how.probe_interval;
  if (how.removal_timeout) out.node.membership.removal_timeout = *how.removal_timeout;
  if (how.keep_majority) out.node.membership.keep_majority = *how.keep_majority;
  if (!how.meta.empty()) out.node.meta = std::move(how.meta);

  const auto endpoints = config::parse_endpoints(out.wire.listen, config::cluster_transports);
  if (!endpoints) return fail(errc::invalid_argument, "cluster.listen: {}", endpoints.error().message);
  const bool is_encrypted = endpoints->front().is_encrypted();
  if (how.only_from_origin) only_from_origin = how.only_from_origin;
  if (only_from_origin || is_encrypted) {
    out.node.gossip.taken_from =
        only_from_origin.value_or(true) ? gossip::news_source::origin_only : gossip::news_source::any_member;
  }
  auto named = name_of(!how.name.empty() ? how.name : !name.empty() ? name : out.node.name, is_encrypted, who);
  if (!named) return fail(std::move(named).error());
  out.node.name = *std::move(named);
  if (!how.cluster.empty()) {
    out.node.cluster = std::move(how.cluster);
  } else if (!cluster.empty()) {
    out.node.cluster = std::move(cluster);
  } else if (out.node.cluster.empty()) {
    out.node.cluster = who.system;
  }

  std::vector<std::string> all = std::exchange(out.node.seeds, {});
  // Explicit seeds stand for those of the properties; those of a file are added.
  std::ranges::move(how.seeds.empty() ? pieces(seeds, ',') : std::move(how.seeds), std::back_inserter(all));
  if (const auto& file = how.seeds_file.empty() ? seeds_file : how.seeds_file; !file.empty()) {
    auto more = read_seeds_file(file);
    if (!more) return fail(std::move(more).error());
    std::ranges::move(*more, std::back_inserter(all));
  }
  for (const auto& one : all) {
    if (auto added = add_seed(one, is_encrypted, out); !added) return fail(std::move(added).error());
  }
  if (auto sound = check_together(out.node); !sound) return fail(std::move(sound).error());

  out.wire.properties = std::move(how.properties);
  return out;
}

}  // namespace muster::cluster

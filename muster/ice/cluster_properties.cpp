#include "muster/ice/cluster_properties.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "muster/config/endpoint_text.hpp"

namespace muster::ice {
namespace {

// Others speak of adapters, thread pools and logs of the program's own communicator, and would clash if they were
// opened here a second time.
constexpr std::array<std::string_view, 14> handed_on{"Ice.Default.Host",
                                                     "Ice.Default.SourceAddress",
                                                     "Ice.Default.Timeout",
                                                     "Ice.HTTPProxy",
                                                     "Ice.IPv4",
                                                     "Ice.IPv6",
                                                     "Ice.Plugin.IceSSL",
                                                     "Ice.PreferIPv6Address",
                                                     "Ice.SOCKSProxy",
                                                     "Ice.TCP.",
                                                     "Ice.Trace.",
                                                     "Ice.Warn.",
                                                     "Ice.Override.Timeout",
                                                     "IceSSL."};

std::string value_of(const config::property_map& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? std::string{} : found->second;
}

result<void> check_trust(const config::property_map& all) {
  const auto verify = value_of(all, "IceSSL.VerifyPeer");
  if (!verify.empty() && verify != "2") {
    return fail(errc::invalid_argument,
                "IceSSL.VerifyPeer is '{}'; allowed is 2: nodes of a cluster show a certificate to each other", verify);
  }
  if (value_of(all, "IceSSL.CertFile").empty() && value_of(all, "IceSSL.FindCert").empty()) {
    return fail(errc::invalid_argument,
                "IceSSL.CertFile is not set; allowed is the file of this node's certificate: nodes of a cluster show "
                "one to each other");
  }
  const auto platform = value_of(all, "IceSSL.UsePlatformCAs");
  if (value_of(all, "IceSSL.CAs").empty() && (platform.empty() || platform == "0")) {
    return fail(errc::invalid_argument,
                "IceSSL.CAs is not set; allowed is the file of the authority that the cluster's certificates are of");
  }
  return {};
}

result<void> check_bounds(const cluster_transport_options& how) {
  constexpr std::size_t frame_bytes_limit = std::size_t{512} * 1024 * 1024;
  if (how.frame_bytes_max < 1024 || how.frame_bytes_max > frame_bytes_limit) {
    return fail(errc::invalid_argument, "the transport's frame_bytes_max is {}; allowed is 1024 to {}",
                how.frame_bytes_max, frame_bytes_limit);
  }
  if (how.in_flight_bytes_max < 2 * how.frame_bytes_max) {
    return fail(errc::invalid_argument, "the transport's in_flight_bytes_max is {}; allowed is {} (two frames) or more",
                how.in_flight_bytes_max, 2 * how.frame_bytes_max);
  }
  if (how.connect_timeout <= std::chrono::milliseconds{0} || how.stop_timeout <= std::chrono::milliseconds{0}) {
    return fail(errc::invalid_argument, "the transport's timeouts are {} ms and {} ms; allowed is anything above 0",
                how.connect_timeout.count(), how.stop_timeout.count());
  }
  if (how.silence_timeout < std::chrono::seconds{1}) {
    return fail(errc::invalid_argument, "the transport's silence_timeout is {} s; allowed is 1 s or more",
                how.silence_timeout.count());
  }
  return {};
}

}  // namespace

result<config::property_map> cluster_properties(const cluster_transport_options& how) {
  if (auto sound = check_bounds(how); !sound) return fail(std::move(sound).error());
  const auto endpoints = config::parse_endpoints(how.listen, config::cluster_transports);
  if (!endpoints) {
    return fail(errc::invalid_argument, "a node cannot listen at '{}': {}", how.listen, endpoints.error().message);
  }
  const bool is_encrypted = endpoints->front().is_encrypted();
  for (const auto& one : *endpoints) {
    if (one.is_encrypted() != is_encrypted) {
      return fail(errc::invalid_argument,
                  "a node cannot listen at '{}', in part without TLS; allowed is with it everywhere, or nowhere",
                  how.listen);
    }
  }

  config::property_map out;
  for (const auto& [name, value] : how.properties) {
    const std::string_view whole{name};
    if (std::ranges::any_of(handed_on, [&](std::string_view prefix) { return whole.starts_with(prefix); })) {
      out.emplace(name, value);
    }
  }
  if (is_encrypted) {
    if (auto trusted = check_trust(out); !trusted) return fail(std::move(trusted).error());
    out["IceSSL.VerifyPeer"] = "2";
    out["Ice.Plugin.IceSSL"] = "IceSSL:createIceSSL";
  } else {
    std::erase_if(out, [](const auto& one) {
      return one.first.starts_with("IceSSL.") || one.first.starts_with("Ice.Plugin.IceSSL");
    });
  }

  const std::string adapter{cluster_adapter};
  out["Ice.RetryIntervals"] = "-1";
  out["Ice.ACM.Client.Close"] = "0";
  out["Ice.ACM.Client.Heartbeat"] = "0";
  out["Ice.ThreadPool.Client.Size"] = "1";
  out["Ice.ThreadPool.Client.SizeMax"] = "1";
  out["Ice.Override.ConnectTimeout"] = fmt::to_string(how.connect_timeout.count());
  out["Ice.Override.CloseTimeout"] = fmt::to_string(how.stop_timeout.count());
  out["Ice.Default.CollocationOptimized"] = "0";
  out["Ice.PrintProcessId"] = "0";
  out["Ice.PrintAdapterReady"] = "0";
  if (value_of(out, "Ice.Warn.Dispatch").empty()) out["Ice.Warn.Dispatch"] = "0";
  // Twice what is allowed: who sends somewhat more is told apart, and does not lose its connection. In units of 1024.
  out["Ice.MessageSizeMax"] = fmt::to_string(2 * how.frame_bytes_max / 1024 + 1);
  out[adapter + ".Endpoints"] = how.listen;
  out[adapter + ".AdapterId"] = "";
  out[adapter + ".ThreadPool.Size"] = "1";
  out[adapter + ".ThreadPool.SizeMax"] = "1";
  out[adapter + ".ACM.Close"] = "0";
  // Always, each half of this time, which the run time wants in seconds.
  out[adapter + ".ACM.Heartbeat"] = "3";
  out[adapter + ".ACM.Timeout"] = fmt::to_string(std::max<std::int64_t>(1, how.silence_timeout.count() / 2));
  return out;
}

}  // namespace muster::ice

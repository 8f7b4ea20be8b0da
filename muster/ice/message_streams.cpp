#include "muster/ice/message_streams.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <string_view>
#include <utility>

#include <Ice/Ice.h>

#include "muster/ice/event_logger.hpp"
#include "muster/ice/exceptions.hpp"

namespace muster::ice {
namespace {

// Others speak of adapters, plug-ins and logs of the program's own communicator, and would clash if they were opened
// here a second time.
constexpr std::array<std::string_view, 19> taken_over{"Ice.ACM.Client.",
                                                      "Ice.AcceptClassCycles",
                                                      "Ice.ClassGraphDepthMax",
                                                      "Ice.Default.",
                                                      "Ice.HTTPProxy",
                                                      "Ice.IPv4",
                                                      "Ice.IPv6",
                                                      "Ice.LocatorCache",
                                                      "Ice.MessageSizeMax",
                                                      "Ice.Override.",
                                                      "Ice.Plugin.IceSSL",
                                                      "Ice.PreferIPv6Address",
                                                      "Ice.RetryIntervals",
                                                      "Ice.SOCKSProxy",
                                                      "Ice.TCP.",
                                                      "Ice.ThreadPool.Client.",
                                                      "Ice.Trace.",
                                                      "Ice.Warn.",
                                                      "IceSSL."};

config::property_map chosen(const config::property_map& properties) {
  config::property_map out;
  for (const auto& [name, value] : properties) {
    const std::string_view whole{name};
    if (!std::ranges::any_of(taken_over, [&](std::string_view prefix) { return whole.starts_with(prefix); })) continue;
    out.emplace(name, value);
    if (whole.starts_with("IceSSL.")) out.emplace("Ice.Plugin.IceSSL", "IceSSL:createIceSSL");
  }
  // A node ends in bounded time, whoever its proxies are of: Ice would wait a minute for each of these.
  out.emplace("Ice.Override.ConnectTimeout", "3000");
  out.emplace("Ice.Override.CloseTimeout", "1000");
  return out;
}

/// Proxies may outlive all else, and their run time keeps its logger.
struct kept_logger {
  explicit kept_logger(std::shared_ptr<event_log> log) : into{std::move(log)}, logger{*into} {}
  const std::shared_ptr<event_log> into;
  event_logger logger;
};

}  // namespace

class message_streams::parts {
 public:
  parts(const config::property_map& properties, std::shared_ptr<event_log> log)
      : properties_{chosen(properties)}, log_{std::make_shared<kept_logger>(std::move(log))} {}
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;
  ~parts() {
    if (communicator_) communicator_->destroy();
  }

  /// Null where Ice does not start.
  [[nodiscard]] const Ice::CommunicatorPtr& communicator() {
    std::call_once(made_, [this] { communicator_ = make(); });
    return communicator_;
  }

 private:
  [[nodiscard]] Ice::CommunicatorPtr make() const {
    try {
      Ice::registerIceSSL(false);
      Ice::InitializationData start;
      start.properties = Ice::createProperties();
      start.logger = {log_, &log_->logger};
      for (const auto& [name, value] : properties_) start.properties->setProperty(name, value);
      return Ice::initialize(start);
    } catch (const std::exception&) {
      log_->into->write(event{severity::error, "proxies_not_readable"}
                            .with("reason", to_text(std::current_exception()))
                            .with("consequence", "messages with proxies or instances of Slice classes are dropped"));
      return nullptr;
    }
  }

  const config::property_map properties_;
  const std::shared_ptr<kept_logger> log_;
  std::once_flag made_;
  Ice::CommunicatorPtr communicator_;
};

message_streams::message_streams(const config::property_map& properties, std::shared_ptr<event_log> log)
    : parts_{std::make_unique<parts>(properties, std::move(log))} {}

message_streams::~message_streams() = default;

std::unique_ptr<Ice::InputStream> message_streams::over(byte_view content) const {
  const auto& by = parts_->communicator();
  if (by == nullptr) return nullptr;
  return std::make_unique<Ice::InputStream>(
      by, Ice::Encoding_1_1,
      std::pair<const Ice::Byte*, const Ice::Byte*>{content.data(), content.data() + content.size()});
}

}  // namespace muster::ice

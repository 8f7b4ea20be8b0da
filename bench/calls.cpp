#include "bench/calls.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace muster::bench {

namespace {

constexpr std::size_t digits = 7;

std::string_view prefix_of(located_kind what) {
  switch (what) {
    case located_kind::object: return "object-";
    case located_kind::adapter: return "adapter-";
    case located_kind::group: return "group-";
  }
  return {};
}

std::string numbered(located_kind what, std::uint64_t number) {
  return fmt::format("{}{:0{}}", prefix_of(what), number, digits);
}

// The parameters of findObjectById or findAdapterById as an encapsulation in 1.1, of which only the digits change.
class locate_request {
 public:
  explicit locate_request(located_kind what) {
    const auto name = numbered(what, 0);
    const auto size = 4 + 2 + 1 + name.size() + (what == located_kind::object ? 1U : 0U);
    bytes_ = {static_cast<Ice::Byte>(size), 0, 0, 0, 1, 1, static_cast<Ice::Byte>(name.size())};
    for (const char each : name) bytes_.push_back(static_cast<Ice::Byte>(each));
    digits_end_ = bytes_.size();
    if (what == located_kind::object) bytes_.push_back(0);  // no category
  }

  const std::vector<Ice::Byte>& with(std::uint64_t number) {
    for (std::size_t at = digits_end_; at > digits_end_ - digits; number /= 10) {
      bytes_[--at] = static_cast<Ice::Byte>('0' + number % 10);
    }
    return bytes_;
  }

 private:
  std::vector<Ice::Byte> bytes_;
  std::size_t digits_end_ = 0;
};

constexpr std::size_t lanes_max = 1024;

std::shared_ptr<Ice::ObjectPrx> target(const Ice::CommunicatorPtr& client, std::string_view name, std::uint64_t port) {
  return client->stringToProxy(fmt::format("{}:tcp -h 127.0.0.1 -p {}", name, port));
}

}  // namespace

std::string object_name(std::uint64_t number) { return numbered(located_kind::object, number); }
std::string adapter_name(std::uint64_t number) { return numbered(located_kind::adapter, number); }
std::string group_name(std::uint64_t number) { return numbered(located_kind::group, number); }

start_call locate_calls(const std::vector<std::shared_ptr<Ice::LocatorPrx>>& over, located_kind what,
                        std::uint64_t count) {
  const std::string operation = what == located_kind::object ? "findObjectById" : "findAdapterById";
  // One buffer a lane: the runtime copies it into its own before the call returns.
  auto requests = std::make_shared<std::vector<locate_request>>(lanes_max, locate_request{what});
  return [over, count, operation, requests](std::size_t lane, std::uint64_t number, auto answered, auto failed) {
    constexpr std::uint64_t stride = 7919;  // a prime, so that it comes by every name
    const auto& params = (*requests)[lane].with(number * stride % count);
    using view = std::pair<const Ice::Byte*, const Ice::Byte*>;
    over[lane % over.size()]->ice_invokeAsync(
        operation, Ice::OperationMode::Nonmutating, view{params.data(), params.data() + params.size()},
        [answered = std::move(answered), failed](bool is_reply, view) {
          if (is_reply) {
            answered();
          } else {
            failed(std::make_exception_ptr(std::runtime_error{"a name was not found"}));
          }
        },
        failed);
  };
}

start_call add_object_calls(const std::vector<std::shared_ptr<IceGrid::AdminPrx>>& over) {
  return [over](std::size_t lane, std::uint64_t number, auto answered, auto failed) {
    const auto& admin = over[lane % over.size()];
    admin->addObjectWithTypeAsync(target(admin->ice_getCommunicator(), object_name(number), 10'000 + number % 1000),
                                  "::Bench::Hello", std::move(answered), std::move(failed));
  };
}

start_call register_adapter_calls(const std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>>& over,
                                  std::uint64_t count) {
  return [over, count](std::size_t lane, std::uint64_t number, auto answered, auto failed) {
    const auto& registry = over[lane % over.size()];
    const auto which = number % count;
    registry->setAdapterDirectProxyAsync(adapter_name(which),
                                         target(registry->ice_getCommunicator(), "dummy", 10'000 + which % 1000),
                                         std::move(answered), std::move(failed));
  };
}

start_call register_member_calls(const std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>>& over) {
  return [over](std::size_t lane, std::uint64_t number, auto answered, auto failed) {
    const auto& registry = over[lane % over.size()];
    const auto group = group_name(number / 3);
    registry->setReplicatedAdapterDirectProxyAsync(
        fmt::format("{}-{}", group, number % 3), group,
        target(registry->ice_getCommunicator(), "dummy", 20'000 + number % 3000), std::move(answered),
        std::move(failed));
  };
}

}  // namespace muster::bench

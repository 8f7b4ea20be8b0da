#include "sim/replicas/workload.hpp"

#include <array>
#include <memory>

#include <IceGrid/Descriptor.h>
#include <fmt/format.h>

#include "muster/catalog/change.hpp"

namespace muster::sim::replicas {

namespace {

using catalog::change;

/// Names of every kind that has made trouble somewhere: plain, spaces, quotes, separators, not ASCII, very long.
std::string odd_name(std::string_view kind, std::size_t number) {
  static constexpr std::array<std::string_view, 6> forms{
      "{}-{}", "{} {}", "{}\"{}'", "{}/@{}", "{}:\u00fcml\u00e4ut {}", "{}.{}"};
  std::string out = fmt::format(fmt::runtime(forms[number % forms.size()]), kind, number);
  if (number % 17 == 16) {
    out.append(600, 'x');
  }
  return out;
}

Ice::Identity object_identity(std::size_t number) {
  return {odd_name("object", number), number % 3 == 0 ? "" : odd_name("category", number % 5)};
}

std::shared_ptr<const IceGrid::ApplicationDescriptor> small_application(std::size_t number, std::string description,
                                                                        std::size_t groups, std::size_t names) {
  auto out = std::make_shared<IceGrid::ApplicationDescriptor>();
  out->name = odd_name("application", number);
  out->description = std::move(description);
  for (std::size_t i = 0; i < groups; ++i) {
    IceGrid::ReplicaGroupDescriptor group;
    group.id = odd_name("group", (number + i) % names);
    group.loadBalancing = std::make_shared<IceGrid::RandomLoadBalancingPolicy>("0");
    IceGrid::ObjectDescriptor object;
    // Shares its name space with the plain objects, so that applications and objects collide.
    object.id = object_identity((number * 7 + i) % (names + 3));
    object.type = "::Sim::Deployed";
    group.objects.push_back(object);
    out->replicaGroups.push_back(group);
  }
  return out;
}

}  // namespace

std::string workload::unique_text() {
  unique_ = true;
  return fmt::format("u{}", ++made_);
}

wanted_change workload::next() {
  unique_ = false;
  wanted_change out;
  if (draws_.chance(invalid_percent_, 100)) {
    out.encoded = next_invalid();
    out.what = "bytes that make no sense";
  } else {
    out.encoded = next_valid();
    const auto decoded = catalog::decode(out.encoded);
    out.what = decoded ? catalog::describe(*decoded) : decoded.error().message;
    if (out.what.size() > 60) {
      out.what.resize(60);
    }
  }
  out.unique = unique_;
  return out;
}

bytes workload::next_valid() {
  const std::size_t number = draws_.below(names_);
  const auto proxy_of = [&](const Ice::Identity& id) {
    return catalog::encoded_proxy::indirect(catalog::view_of(id), unique_text());
  };
  switch (draws_.below(14)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const auto proxy = proxy_of(object_identity(number));
      return encode(change{catalog::add_object{number % 2 == 0 ? "::Sim::Even" : "::Sim::Odd", proxy}});
    }
    case 4:
    case 5: return encode(change{catalog::update_object{proxy_of(object_identity(number))}});
    case 6:
    case 7: return encode(change{catalog::remove_object{object_identity(number)}});
    case 8:
    case 9: {
      const std::size_t adapter = number % (names_ / 2 + 1);
      const auto proxy = proxy_of({"dummy", ""});
      return encode(change{catalog::set_adapter{odd_name("adapter", adapter),
                                                adapter % 3 == 0 ? odd_name("group", adapter % 4) : "", proxy}});
    }
    case 10: return encode(change{catalog::unset_adapter{odd_name("adapter", number % (names_ / 2 + 1))}});
    case 11:
      return encode(change{catalog::remove_adapter{
          draws_.chance(1, 3) ? odd_name("group", number % 4) : odd_name("adapter", number % (names_ / 2 + 1))}});
    case 12: {
      const std::size_t application = number % (names_ / 4 + 1);
      auto described = small_application(application, unique_text(), draws_.below(3), names_);
      const catalog::edited by{static_cast<std::int64_t>(made_), "sim"};
      if (draws_.chance(1, 2)) {
        return encode(change{catalog::add_application{unique_text(), by, std::move(described)}});
      }
      return encode(change{catalog::sync_application{by, std::move(described)}});
    }
    default: return encode(change{catalog::remove_application{odd_name("application", number % (names_ / 4 + 1))}});
  }
}

bytes workload::next_invalid() {
  switch (draws_.below(3)) {
    case 0: return {};
    case 1: {
      bytes noise(1 + draws_.below(40));
      for (auto& octet : noise) {
        octet = static_cast<std::uint8_t>(draws_());
      }
      return noise;
    }
    default: {
      bytes cut_short = next_valid();
      unique_ = false;
      cut_short.resize(draws_.below(cut_short.size()));
      return cut_short;
    }
  }
}

}  // namespace muster::sim::replicas

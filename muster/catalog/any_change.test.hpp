#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "muster/catalog/change.hpp"
#include "muster/descriptor/sample.test.hpp"

namespace muster::catalog::sample {

namespace descriptors = descriptor::sample;

/// A direct proxy of one tcp endpoint, 127.0.0.1 at `port`, as Ice writes it.
[[nodiscard]] inline encoded_proxy direct(identity_view id, std::uint16_t port) {
  const bytes endpoint{1,
                       0,
                       25,
                       0,
                       0,
                       0,
                       1,
                       1,
                       9,
                       '1',
                       '2',
                       '7',
                       '.',
                       '0',
                       '.',
                       '0',
                       '.',
                       '1',
                       static_cast<std::uint8_t>(port & 0xffU),
                       static_cast<std::uint8_t>(port >> 8U),
                       0,
                       0,
                       0x60,
                       0xea,
                       0,
                       0,
                       0};
  const auto without = encoded_proxy::indirect(id, "");
  const auto header = without.view().header;
  bytes content{header.begin(), header.end()};
  content.push_back(1);
  content.insert(content.end(), endpoint.begin(), endpoint.end());
  return encoded_proxy::read(content).value();
}

/// Few names, so that changes meet each other.
[[nodiscard]] inline rc::Gen<std::string> any_name() { return rc::gen::element<std::string>("a", "b", "c", "d"); }
[[nodiscard]] inline rc::Gen<std::string> any_name_or_none() {
  return rc::gen::element<std::string>("", "", "a", "b", "c", "d");
}

[[nodiscard]] inline encoded_proxy any_proxy() {
  const auto name = *any_name();
  const auto port = *rc::gen::inRange<std::uint16_t>(1, 4);
  if (*rc::gen::inRange(0, 4) == 0) return encoded_proxy::indirect({name, ""}, *any_name_or_none());
  return direct({name, ""}, port);
}

/// An application of two names, which takes its groups, servers, adapters and objects from the names above.
[[nodiscard]] inline IceGrid::ApplicationDescriptor any_application() {
  IceGrid::ApplicationDescriptor made;
  made.name = *rc::gen::element<std::string>("app1", "app2");
  const auto any_object = [] { return descriptors::object(*any_name(), *rc::gen::element<std::string>("::A", "::B")); };
  if (*rc::gen::arbitrary<bool>()) {
    made.replicaGroups.push_back(descriptors::group(*any_name()));
    if (*rc::gen::arbitrary<bool>()) made.replicaGroups[0].objects.push_back(any_object());
  }
  const auto servers = *rc::gen::inRange(0, 3);
  for (int i = 0; i != servers; ++i) {
    auto adapter = descriptors::adapter(*any_name(), *any_name_or_none());
    if (*rc::gen::arbitrary<bool>()) adapter.objects.push_back(any_object());
    if (*rc::gen::arbitrary<bool>()) adapter.allocatables.push_back(any_object());
    made.nodes["node"].servers.push_back(descriptors::server(*any_name(), {adapter}));
  }
  return made;
}

[[nodiscard]] inline std::shared_ptr<const IceGrid::ApplicationUpdateDescriptor> any_update() {
  auto update = std::make_shared<IceGrid::ApplicationUpdateDescriptor>();
  const auto application = any_application();
  update->name = application.name;
  update->replicaGroups = application.replicaGroups;
  IceGrid::NodeUpdateDescriptor node;
  node.name = "node";
  node.removeServers = {*any_name()};
  if (application.nodes.contains("node")) node.servers = application.nodes.at("node").servers;
  update->nodes = {node};
  return update;
}

[[nodiscard]] inline edited any_edit() { return {*rc::gen::arbitrary<std::int64_t>(), *any_name()}; }

[[nodiscard]] inline change any_change() {
  const auto shared = [](IceGrid::ApplicationDescriptor one) {
    return std::make_shared<const IceGrid::ApplicationDescriptor>(std::move(one));
  };
  switch (*rc::gen::inRange(0, 14)) {
    case 0:
    case 1: return add_object{*rc::gen::element<std::string>("::A", "::B", ""), any_proxy()};
    case 2: return update_object{any_proxy()};
    case 3: return remove_object{{*any_name(), ""}};
    case 4:
    case 5:
    case 6: return set_adapter{*any_name(), *any_name_or_none(), any_proxy()};
    case 7: return unset_adapter{*any_name()};
    case 8: return remove_adapter{*any_name_or_none()};
    case 9:
    case 10: return add_application{"uuid", any_edit(), shared(any_application())};
    case 11: return sync_application{any_edit(), shared(any_application())};
    case 12: return update_application{any_edit(), any_update()};
    default: return remove_application{*rc::gen::element<std::string>("app1", "app2")};
  }
}

}  // namespace muster::catalog::sample

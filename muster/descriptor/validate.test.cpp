#include "muster/descriptor/validate.hpp"

#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "muster/descriptor/sample.test.hpp"

namespace muster::descriptor {
namespace {

using application = IceGrid::ApplicationDescriptor;

/// The sentence with which the sample is refused after `spoil`; empty if it is not.
[[nodiscard]] std::string refusal(const std::function<void(application&)>& spoil) {
  auto spoilt = sample::rich_application("app");
  spoil(spoilt);
  const auto checked = validate(spoilt);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, errc::invalid_argument);
  return checked.error().message;
}

TEST(validate, takes_a_sound_application) {
  EXPECT_EQ(refusal([](application&) {}), "");
  EXPECT_TRUE(validate([] {
    application least;
    least.name = "least";
    return least;
  }()));
}

TEST(validate, wants_names) {
  EXPECT_EQ(refusal([](auto& app) { app.name = ""; }), "invalid application: empty name");
  EXPECT_EQ(refusal([](auto& app) { app.replicaGroups[0].id = ""; }),
            "application `app': invalid value for attribute `replica group id': empty string");
  EXPECT_EQ(refusal([](auto& app) { app.nodes[""]; }), "application `app': invalid node: empty name");
  EXPECT_EQ(refusal([](auto& app) { app.nodes["node1"].servers[0]->id = ""; }),
            "node `node1': invalid value for attribute `server id': empty string");
  EXPECT_EQ(refusal([](auto& app) { app.nodes["node1"].servers[0]->exe = ""; }),
            "server `app-server1': invalid value for attribute `executable': empty string");
}

TEST(validate, refuses_what_is_defined_twice) {
  EXPECT_EQ(refusal([](auto& app) { app.replicaGroups.push_back(app.replicaGroups[0]); }),
            "application `app': duplicate replica group `app-group'");
  EXPECT_EQ(refusal([](auto& app) { app.nodes["node2"].servers.push_back(app.nodes["node1"].servers[0]); }),
            "node `node2': duplicate server `app-server1' in node `node2'");
  EXPECT_EQ(
      refusal([](auto& app) { app.nodes["node1"].servers[0]->adapters.push_back(sample::adapter("app-adapter3")); }),
      "application `app': duplicate adapter `app-adapter3'");
  EXPECT_EQ(refusal([](auto& app) { app.nodes["node1"].servers[0]->adapters.push_back(sample::adapter("app-group")); }),
            "application `app': duplicate adapter `app-group'");
  EXPECT_EQ(refusal([](auto& app) {
              app.nodes["node1"].servers[0]->adapters[0].allocatables = {sample::object("app-replicated")};
            }),
            "application `app': duplicate object `app-replicated'");
}

TEST(validate, refuses_load_balancing_that_is_none) {
  EXPECT_EQ(refusal([](auto& app) { app.replicaGroups[0].loadBalancing = nullptr; }),
            "application `app': replica group load balancing is not set");
  for (const auto* number : {"-1", "x", "1x", "99999999999"}) {
    EXPECT_NE(refusal([&](auto& app) { app.replicaGroups[0].loadBalancing->nReplicas = number; }), "") << number;
  }
  EXPECT_EQ(refusal([](auto& app) { app.replicaGroups[0].loadBalancing->nReplicas = "${n}"; }), "")
      << "it cannot be judged before the variable has a value";
  EXPECT_NE(refusal([](auto& app) {
              app.replicaGroups[0].loadBalancing = std::make_shared<IceGrid::AdaptiveLoadBalancingPolicy>("1", "7");
            }),
            "");
}

TEST(validate, refuses_templates_that_are_not_there_or_describe_nothing) {
  EXPECT_EQ(refusal([](auto& app) {
              app.nodes["node1"].serverInstances = {{"NoSuch", {}, {}, {}}};
            }),
            "node `node1': unknown server template `NoSuch'");
  EXPECT_EQ(refusal([](auto& app) { app.serviceTemplates.clear(); }),
            "server `app-box': unknown service template `Service'");
  EXPECT_NE(refusal([](auto& app) { app.serverTemplates["Template"].descriptor = nullptr; }), "");
  EXPECT_NE(refusal([](auto& app) { app.nodes["node1"].servers.push_back(nullptr); }), "");
}

TEST(validate, refuses_proxy_options_that_are_none) {
  EXPECT_NE(refusal([](auto& app) { app.replicaGroups[0].objects[0].proxyOptions = "--wrong"; }).find("--wrong"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::descriptor

#include "muster/descriptor/validate.hpp"

#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <IceGrid/Descriptor.h>

#include "muster/descriptor/contents.hpp"
#include "muster/descriptor/proxy_options.hpp"

namespace muster::descriptor {

namespace {

/// A text that other text has still to be put into cannot be judged yet.
[[nodiscard]] bool is_open(std::string_view text) { return text.find("${") != std::string_view::npos; }

[[nodiscard]] bool is_natural_number(std::string_view text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end && value >= 0;
}

[[nodiscard]] result<void> empty_value(std::string_view place, std::string_view attribute) {
  return fail(errc::invalid_argument, "{}: invalid value for attribute `{}': empty string", place, attribute);
}

[[nodiscard]] result<void> check_group(const std::string& place, const IceGrid::ReplicaGroupDescriptor& group) {
  if (group.id.empty()) return empty_value(place, "replica group id");
  if (!group.loadBalancing) return fail(errc::invalid_argument, "{}: replica group load balancing is not set", place);
  const auto& n_replicas = group.loadBalancing->nReplicas;
  if (!n_replicas.empty() && !is_open(n_replicas) && !is_natural_number(n_replicas)) {
    return fail(errc::invalid_argument,
                "{}: replica group `{}': invalid value for attribute `load balancing n-replicas': `{}' is not a number "
                "from 0 on",
                place, group.id, n_replicas);
  }
  const auto* adaptive = dynamic_cast<const IceGrid::AdaptiveLoadBalancingPolicy*>(group.loadBalancing.get());
  if (adaptive != nullptr && !is_open(adaptive->loadSample)) {
    const auto& sample = adaptive->loadSample;
    if (!sample.empty() && sample != "1" && sample != "5" && sample != "15") {
      return fail(
          errc::invalid_argument,
          "{}: replica group `{}': invalid value for attribute `load sample': `{}' (allowed values are 1, 5 or 15)",
          place, group.id, sample);
    }
  }
  return {};
}

[[nodiscard]] result<void> check_templates(const std::string& place, std::string_view kind,
                                           const IceGrid::TemplateDescriptorDict& templates) {
  for (const auto& [name, one] : templates) {
    if (name.empty()) return empty_value(place, kind);
    if (!one.descriptor) return fail(errc::invalid_argument, "{}: {} `{}' describes nothing", place, kind, name);
  }
  return {};
}

[[nodiscard]] result<void> check_services(const IceGrid::ApplicationDescriptor& application, const std::string& place,
                                          const IceGrid::IceBoxDescriptor& box) {
  for (const auto& service : box.services) {
    if (service._cpp_template.empty()) {
      if (!service.descriptor) return fail(errc::invalid_argument, "{}: a service describes nothing", place);
    } else if (!application.serviceTemplates.contains(service._cpp_template)) {
      return fail(errc::invalid_argument, "{}: unknown service template `{}'", place, service._cpp_template);
    }
  }
  return {};
}

[[nodiscard]] result<void> check_node(const IceGrid::ApplicationDescriptor& application, const std::string& place,
                                      const std::string& name, const IceGrid::NodeDescriptor& node) {
  if (name.empty()) return fail(errc::invalid_argument, "{}: invalid node: empty name", place);
  const auto node_place = fmt::format("node `{}'", name);
  for (const auto& instance : node.serverInstances) {
    if (!application.serverTemplates.contains(instance._cpp_template)) {
      return fail(errc::invalid_argument, "{}: unknown server template `{}'", node_place, instance._cpp_template);
    }
  }
  for (const auto& server : node.servers) {
    if (!server) return fail(errc::invalid_argument, "{}: a server describes nothing", node_place);
    if (server->id.empty()) return empty_value(node_place, "server id");
    const auto server_place = fmt::format("server `{}'", server->id);
    if (server->exe.empty()) return empty_value(server_place, "executable");
    if (const auto* box = dynamic_cast<const IceGrid::IceBoxDescriptor*>(server.get())) {
      if (auto checked = check_services(application, server_place, *box); !checked) return checked;
    }
  }
  return {};
}

/// Finds what an application defines twice, or with proxy options that are none.
class contents_checker {
 public:
  explicit contents_checker(const std::string& place) : place_{place} {}

  [[nodiscard]] result<void> check(const contents& all) {
    for (const auto& group : all.replica_groups) {
      if (!adapters_.insert(group.id).second) {
        return fail(errc::invalid_argument, "{}: duplicate replica group `{}'", place_, group.id);
      }
      if (auto checked = check(group.objects); !checked) return checked;
    }
    for (const auto& server : all.servers) {
      if (!servers_.insert(server.id).second) {
        return fail(errc::invalid_argument, "node `{0}': duplicate server `{1}' in node `{0}'", server.node, server.id);
      }
    }
    for (const auto& adapter : all.adapters) {
      if (!adapters_.insert(adapter.id).second) {
        return fail(errc::invalid_argument, "{}: duplicate adapter `{}'", place_, adapter.id);
      }
      if (auto checked = check(adapter.objects); !checked) return checked;
      if (auto checked = check(adapter.allocatables); !checked) return checked;
    }
    return {};
  }

 private:
  [[nodiscard]] result<void> check(const std::vector<object_entry>& objects) {
    for (const auto& object : objects) {
      if (!objects_.insert({object.id.name, object.id.category}).second) {
        return fail(errc::invalid_argument, "{}: duplicate object `{}'", place_, text_of(object.id));
      }
      if (const auto options = parse_proxy_options(object.proxy_options); !options) {
        return fail(errc::invalid_argument, "{}: object `{}': {}", place_, text_of(object.id), options.error().message);
      }
    }
    return {};
  }

  [[nodiscard]] static std::string text_of(const Ice::Identity& id) {
    return id.category.empty() ? id.name : id.category + "/" + id.name;
  }

  const std::string& place_;
  std::set<std::string> adapters_;  // and groups: they are looked up by the same operation
  std::set<std::string> servers_;
  std::set<std::pair<std::string, std::string>> objects_;
};

}  // namespace

result<void> validate(const IceGrid::ApplicationDescriptor& application) {
  if (application.name.empty()) return fail(errc::invalid_argument, "invalid application: empty name");
  const auto place = fmt::format("application `{}'", application.name);
  for (const auto& group : application.replicaGroups) {
    if (auto checked = check_group(place, group); !checked) return checked;
  }
  if (auto checked = check_templates(place, "server template", application.serverTemplates); !checked) return checked;
  if (auto checked = check_templates(place, "service template", application.serviceTemplates); !checked) return checked;
  for (const auto& [name, node] : application.nodes) {
    if (auto checked = check_node(application, place, name, node); !checked) return checked;
  }
  return contents_checker{place}.check(contents_of(application));
}

}  // namespace muster::descriptor

#include "sim/replicas/model.hpp"

#include <algorithm>

#include <IceGrid/Descriptor.h>
#include <fmt/format.h>

namespace muster::sim::replicas {

namespace {

template <typename... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
overloaded(Fs...) -> overloaded<Fs...>;  // clang 14 deduces none for an aggregate

bytes content_of(const catalog::encoded_proxy& proxy) { return {proxy.content().begin(), proxy.content().end()}; }

std::pair<std::string, std::string> identity_of(const catalog::encoded_proxy& proxy) {
  const auto id = proxy.view().identity;
  return {std::string{id.name}, std::string{id.category}};
}

std::set<std::pair<std::string, std::string>> objects_of(const IceGrid::ApplicationDescriptor& application) {
  std::set<std::pair<std::string, std::string>> out;
  for (const auto& group : application.replicaGroups) {
    for (const auto& object : group.objects) {
      out.emplace(object.id.name, object.id.category);
    }
  }
  return out;
}

}  // namespace

void model::apply(const catalog::change& one) {
  std::visit(
      overloaded{
          [&](const catalog::add_object& c) { objects_[identity_of(c.proxy)] = content_of(c.proxy); },
          [&](const catalog::update_object& c) { objects_[identity_of(c.proxy)] = content_of(c.proxy); },
          [&](const catalog::remove_object& c) {
            objects_.erase({c.id.name, c.id.category});
          },
          [&](const catalog::set_adapter& c) {
            adapters_[c.id] = content_of(c.proxy);
            groups_of_adapters_[c.id] = c.replica_group;
          },
          [&](const catalog::unset_adapter& c) {
            adapters_.erase(c.id);
            groups_of_adapters_.erase(c.id);
          },
          [&](const catalog::remove_adapter& c) {
            if (adapters_.erase(c.id) != 0) {
              groups_of_adapters_.erase(c.id);
              return;
            }
            for (auto& [adapter, group] : groups_of_adapters_) {
              if (group == c.id) group.clear();
            }
          },
          [&](const catalog::add_application& c) { applications_[c.descriptor->name] = objects_of(*c.descriptor); },
          [&](const catalog::sync_application& c) { applications_[c.descriptor->name] = objects_of(*c.descriptor); },
          [&](const catalog::update_application&) {},  // The workload makes none.
          [&](const catalog::remove_application& c) { applications_.erase(c.name); },
      },
      one);
}

std::string model::compare(const catalog::state& with) const {
  std::size_t deployed = 0;
  for (const auto& [name, objects] : applications_) {
    if (with.find_application(name) == nullptr) return fmt::format("application \"{}\" is missing", name);
    deployed += objects.size();
    for (const auto& [object, category] : objects) {
      if (with.find_object({object, category}) == nullptr) {
        return fmt::format("object \"{}\" of application \"{}\" is missing", object, name);
      }
    }
  }
  for (const auto& [id, proxy] : objects_) {
    const auto* found = with.find_object({id.first, id.second});
    if (found == nullptr) return fmt::format("object \"{}\" is missing", id.first);
    if (!std::ranges::equal(found->proxy(), proxy)) return fmt::format("object \"{}\" has another proxy", id.first);
  }
  for (const auto& [id, proxy] : adapters_) {
    const auto* found = with.find_adapter(id);
    if (found == nullptr) return fmt::format("adapter \"{}\" is missing", id);
    if (!std::ranges::equal(found->proxy(), proxy)) return fmt::format("adapter \"{}\" has another proxy", id);
    if (found->replica_group() != groups_of_adapters_.at(id)) {
      return fmt::format("adapter \"{}\" is of another group", id);
    }
  }
  // All that must be there is; equal counts mean that nothing else is.
  if (with.objects().size() != objects_.size() + deployed) {
    return fmt::format("{} objects, where there must be {}", with.objects().size(), objects_.size() + deployed);
  }
  if (with.adapters().size() != adapters_.size()) {
    return fmt::format("{} adapters, where there must be {}", with.adapters().size(), adapters_.size());
  }
  if (with.applications().size() != applications_.size()) {
    return fmt::format("{} applications, where there must be {}", with.applications().size(), applications_.size());
  }
  return {};
}

}  // namespace muster::sim::replicas

#include "muster/message/inbound.hpp"

#include <functional>
#include <map>
#include <utility>

#include "muster/actor/guarded.hpp"
#include "muster/base/invariant.hpp"
#include "muster/cluster/inbound_codecs.hpp"

namespace muster::message {
namespace {

using table = actor_kernel::guarded<std::map<std::string_view, inbound_type>>;

table& all_inbound() {
  // Made by whoever comes first while the program is loaded, and never destroyed: actors may outlive static objects.
  static table& all = *new table;
  return all;
}

bool is_of_one_source(std::string_view type) {
  return type.find("{anonymous}") != type.npos || type.find("(anonymous") != type.npos;
}

}  // namespace

void add_inbound(const inbound_type& what) {
  const auto known = all_inbound().with([&](auto& all) { return all.emplace(what.name, what).first->second; });
  // The same type in a library and in what loads it may be two objects, but has one spelling; so have two types of one
  // name in the unnamed namespaces of two sources, which are read by two functions.
  const bool is_same = known.type == what.type && (known.hand_over == what.hand_over || !is_of_one_source(what.type));
  if (is_same) return;
  const auto sentence =
      fmt::format("two types of messages have the name '{}': {} and {}; give one of them another message_name",
                  what.name, known.type, what.type);
  MUSTER_INVARIANT(is_same, sentence);
}

const inbound_type* find_inbound(std::string_view name) {
  return all_inbound().with([&](const auto& all) -> const inbound_type* {
    const auto found = all.find(name);
    // Entries are never taken out, so this one stays.
    return found == all.end() ? nullptr : &found->second;
  });
}

std::shared_ptr<const cluster::inbound_codecs> inbound_messages(std::shared_ptr<const ice_streams> streams) {
  auto out = std::make_shared<cluster::inbound_codecs>();
  out->look_up_others([streams = std::move(streams)](std::string_view name) -> cluster::inbound_codecs::hand_over {
    const inbound_type* const known = find_inbound(name);
    if (known == nullptr) return {};
    // Two pointers need no memory for each message; the codecs, which have the streams, are there while it is read.
    return [how = known->hand_over, by = streams.get()](const actor_system& system, const actor_address& to,
                                                        byte_view content) { return how(system, to, content, by); };
  });
  return out;
}

}  // namespace muster::message

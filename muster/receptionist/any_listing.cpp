#include "muster/receptionist/any_listing.hpp"

#include "muster/actor/departed.hpp"
#include "muster/message/remote_actor.hpp"
#include "muster/receptionist/scene.hpp"

namespace muster {

namespace {

/// What actors are taken for whose messages are not known here: nobody has one to tell.
struct no_message {};

any_ref ref_of(const receptionist::row& one) {
  const receptionist::scene& in = *one.origin->in;
  if (!one.origin->is_own) return message::remote_ref_of<no_message>(in.system(), in.address_of(one));
  using namespace actor_kernel;
  if (endpoint_ptr found = in.system()->find(one.path.view(), actor_incarnation{one.incarnation})) {
    return refs::any(std::move(found));
  }
  return refs::any(endpoint_ptr{new departed<no_message>{in.system(), in.address_of(one)}});
}

}  // namespace

std::vector<any_listing::entry> any_listing::entries() const {
  std::vector<entry> out;
  if (!rows_) return out;
  out.reserve(rows_->size());
  rows_->for_each([&](const receptionist::row& one) {
    out.push_back({ref_of(one), std::string{one.type.view()}, rows_->is_reachable(one)});
  });
  return out;
}

}  // namespace muster

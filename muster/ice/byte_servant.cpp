#include "muster/ice/byte_servant.hpp"

#include <algorithm>

#include "muster/locator/ice_encoding.hpp"
#include "muster/locator/replies.hpp"

namespace muster::ice {

object_types::object_types(std::string most_derived, std::initializer_list<std::string> others)
    : most_derived_{std::move(most_derived)}, all_{others} {
  all_.push_back(most_derived_);
  all_.emplace_back("::Ice::Object");
  std::sort(all_.begin(), all_.end());
}

bool object_types::answer(std::string_view operation, byte_view params, bytes& reply) const {
  if (!operation.starts_with("ice_")) return false;
  if (operation == "ice_ping") {
    locator::append(reply, locator::void_reply(unwrap(locator::read_no_params(params)).version));
    return true;
  }
  if (operation == "ice_isA") {
    const auto asked = unwrap(locator::read_string(params));
    const auto at = locator::begin_encapsulation(reply, asked.version);
    reply.push_back(std::binary_search(all_.begin(), all_.end(), asked.params) ? 1 : 0);
    locator::end_encapsulation(reply, at);
    return true;
  }
  if (operation == "ice_id") {
    const auto at = locator::begin_encapsulation(reply, unwrap(locator::read_no_params(params)).version);
    locator::append_string(reply, most_derived_);
    locator::end_encapsulation(reply, at);
    return true;
  }
  if (operation == "ice_ids") {
    const auto at = locator::begin_encapsulation(reply, unwrap(locator::read_no_params(params)).version);
    locator::append_size(reply, all_.size());
    for (const auto& type : all_) locator::append_string(reply, type);
    locator::end_encapsulation(reply, at);
    return true;
  }
  return false;
}

void throw_unreadable(const error& why) {
  if (why.code == errc::incompatible) {
    throw Ice::UnsupportedEncodingException{__FILE__, __LINE__, why.message, Ice::EncodingVersion{}, Ice::Encoding_1_1};
  }
  throw Ice::MarshalException{__FILE__, __LINE__, why.message};
}

void throw_no_such_operation(const Ice::Current& current) {
  throw Ice::OperationNotExistException{__FILE__, __LINE__, current.id, current.facet, current.operation};
}

bool byte_servant::ice_invoke(std::pair<const Ice::Byte*, const Ice::Byte*> in, std::vector<Ice::Byte>& out,
                              const Ice::Current& current) {
  const byte_view params = to_view(in);
  switch (answer(current.operation, params, out)) {
    case answered::reply: return true;
    case answered::user_exception: return false;
    case answered::no_such_operation: break;
  }
  if (!types_.answer(current.operation, params, out)) throw_no_such_operation(current);
  return true;
}

}  // namespace muster::ice

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Ice/Ice.h>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/locator/requests.hpp"

namespace muster::ice {

/// The types of an object that is served from bytes, for the operations that every Ice object has.
class object_types {
 public:
  /// `most_derived` is what `ice_id` answers; `others` are its bases beside `::Ice::Object`.
  explicit object_types(std::string most_derived, std::initializer_list<std::string> others = {});

  /// Answers `ice_ping`, `ice_isA`, `ice_id` and `ice_ids` at the end of `reply`; false for any other operation.
  [[nodiscard]] bool answer(std::string_view operation, byte_view params, bytes& reply) const;

 private:
  std::string most_derived_;
  std::vector<std::string> all_;  // sorted
};

/// The bytes of a request's parameters.
[[nodiscard]] inline byte_view to_view(const std::pair<const Ice::Byte*, const Ice::Byte*>& encapsulation) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(encapsulation.first),
          static_cast<std::size_t>(encapsulation.second - encapsulation.first)};
}

[[noreturn]] void throw_unreadable(const error& why);
[[noreturn]] void throw_no_such_operation(const Ice::Current& current);

/// Unwraps parameters. What cannot be read is answered as the run time's own skeletons answer it: by
/// `MarshalException`, or by `UnsupportedEncodingException` for an encoding of the future.
template <typename Params>
[[nodiscard]] locator::request<Params> unwrap(result<locator::request<Params>> read) {
  if (!read) throw_unreadable(read.error());
  return *std::move(read);
}

/// The base of servants that answer at once, out of memory, reading and writing the bytes themselves: no thread waits
/// here, so there is nothing to answer later. The reply is handed to the run time in one buffer.
class byte_servant : public Ice::BlobjectArray {
 public:
  explicit byte_servant(object_types types) : types_{std::move(types)} {}

  bool ice_invoke(std::pair<const Ice::Byte*, const Ice::Byte*> in, std::vector<Ice::Byte>& out,
                  const Ice::Current& current) final;

 protected:
  enum class answered : std::uint8_t { reply, user_exception, no_such_operation };

  /// Appends the encapsulation of the reply or of the user exception.
  [[nodiscard]] virtual answered answer(const std::string& operation, byte_view params, bytes& reply) = 0;

 private:
  const object_types types_;
};

}  // namespace muster::ice

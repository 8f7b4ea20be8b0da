#pragma once

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/descriptor/slice_types.hpp"

namespace muster::descriptor {

/// Descriptors as bytes, in a form of our own: a version byte, then the members in the order of their Slice definition;
/// a class instance is a byte that tells its class (0 for null) and its members. (Ice's own streams cannot read a class
/// without a communicator.) Equal descriptors give equal bytes. A class that somebody derived from one of IceGrid's is
/// written as IceGrid's.
[[nodiscard]] bytes encode(const IceGrid::ApplicationDescriptor& application);
[[nodiscard]] bytes encode(const IceGrid::ApplicationInfo& application);
[[nodiscard]] bytes encode(const IceGrid::ApplicationUpdateDescriptor& update);

/// `corrupt` for bytes that are no such thing, `incompatible` for another version. Safe for any bytes from outside.
[[nodiscard]] result<IceGrid::ApplicationDescriptor> decode_application(byte_view input);
[[nodiscard]] result<IceGrid::ApplicationInfo> decode_application_info(byte_view input);
[[nodiscard]] result<IceGrid::ApplicationUpdateDescriptor> decode_application_update(byte_view input);

}  // namespace muster::descriptor

#pragma once

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"

namespace IceGrid {
struct ApplicationDescriptor;
struct ApplicationInfo;
struct ApplicationUpdateDescriptor;
}  // namespace IceGrid

namespace muster::descriptor {

/// Descriptors as bytes: an Ice encapsulation (encoding 1.1), since they contain classes that others may derive from.
/// Equal descriptors, in which equal places share a class instance, give equal bytes.
[[nodiscard]] bytes encode(const IceGrid::ApplicationDescriptor& application);
[[nodiscard]] bytes encode(const IceGrid::ApplicationInfo& application);
[[nodiscard]] bytes encode(const IceGrid::ApplicationUpdateDescriptor& update);

/// `corrupt` for bytes that are no such encapsulation. Safe for any bytes from outside; needs no communicator.
[[nodiscard]] result<IceGrid::ApplicationDescriptor> decode_application(byte_view input);
[[nodiscard]] result<IceGrid::ApplicationInfo> decode_application_info(byte_view input);
[[nodiscard]] result<IceGrid::ApplicationUpdateDescriptor> decode_application_update(byte_view input);

}  // namespace muster::descriptor

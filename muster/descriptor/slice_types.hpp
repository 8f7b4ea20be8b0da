#pragma once

/// IceGrid's descriptors, declared only: whoever looks into one includes what slice2cpp made, `<IceGrid/Admin.h>`,
/// which is far too large for headers that pass pointers along.
namespace IceGrid {  // NOLINT(readability-identifier-naming): Slice gives the name
struct ApplicationDescriptor;
struct ApplicationInfo;
struct ApplicationUpdateDescriptor;
struct NodeDescriptor;
struct ServerInstanceDescriptor;
class ServerDescriptor;
}  // namespace IceGrid

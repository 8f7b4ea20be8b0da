#include "muster/descriptor/marshal.hpp"

#include <memory>
#include <string>

#include <Ice/InputStream.h>
#include <Ice/OutputStream.h>
#include <Ice/ValueFactory.h>
#include <IceGrid/Admin.h>
#include <IceGrid/Descriptor.h>

namespace muster::descriptor {

namespace {

// Classes may contain each other; a chain that is longer than this is no descriptor, and would use up the stack.
constexpr std::size_t class_depth_max = 64;

/// Knows no factory, so that Ice falls back on those that the generated code registers for its own classes.
class no_factories final : public Ice::ValueFactoryManager {
 public:
  void add(Ice::ValueFactory /*factory*/, const std::string& /*type_id*/) override {}
  [[nodiscard]] Ice::ValueFactory find(const std::string& /*type_id*/) const noexcept override { return nullptr; }
};

template <typename Value>
[[nodiscard]] bytes encode_encapsulation(const Value& value) {
  Ice::OutputStream stream;
  // Compact: whoever stores a descriptor knows all its classes, and a class without its type's slices cannot be cut.
  stream.startEncapsulation(Ice::currentEncoding, Ice::FormatType::CompactFormat);
  stream.write(value);
  stream.writePendingValues();
  stream.endEncapsulation();
  const auto [begin, end] = stream.finished();
  return {begin, end};
}

template <typename Value>
[[nodiscard]] result<Value> decode_encapsulation(byte_view input, std::string_view what) {
  // Ice's streams report every kind of bad input by an exception, some of them from the standard library.
  try {
    Ice::InputStream stream{Ice::currentEncoding, std::pair{input.data(), input.data() + input.size()}};
    stream.setValueFactoryManager(std::make_shared<no_factories>());
    stream.setSliceValues(false);
    stream.setClassGraphDepthMax(class_depth_max);
    stream.startEncapsulation();
    Value value;
    stream.read(value);
    stream.readPendingValues();
    stream.endEncapsulation();
    if (stream.i != stream.b.end()) return fail(errc::corrupt, "{} has bytes after its end", what);
    return value;
  } catch (const Ice::Exception& cause) {
    return fail(errc::corrupt, "{} cannot be read: {}", what, cause.ice_id());
  } catch (const std::exception& cause) {
    return fail(errc::corrupt, "{} cannot be read: {}", what, cause.what());
  }
}

}  // namespace

bytes encode(const IceGrid::ApplicationDescriptor& application) { return encode_encapsulation(application); }
bytes encode(const IceGrid::ApplicationInfo& application) { return encode_encapsulation(application); }
bytes encode(const IceGrid::ApplicationUpdateDescriptor& update) { return encode_encapsulation(update); }

result<IceGrid::ApplicationDescriptor> decode_application(byte_view input) {
  return decode_encapsulation<IceGrid::ApplicationDescriptor>(input, "an application descriptor");
}

result<IceGrid::ApplicationInfo> decode_application_info(byte_view input) {
  return decode_encapsulation<IceGrid::ApplicationInfo>(input, "an application");
}

result<IceGrid::ApplicationUpdateDescriptor> decode_application_update(byte_view input) {
  return decode_encapsulation<IceGrid::ApplicationUpdateDescriptor>(input, "an application's update");
}

}  // namespace muster::descriptor

#include "muster/message/ice_values.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <Ice/InputStream.h>
#include <Ice/LocalException.h>
#include <Ice/OutputStream.h>
#include <Ice/Value.h>
#include <Ice/ValueFactory.h>

#include "muster/message/ice_streams.hpp"

namespace muster::message {
namespace {

/// Of a proxy, and of each of its endpoints, in memory: somewhat more than Ice takes.
constexpr std::size_t proxy_memory_bytes = 1024;
constexpr std::size_t endpoint_memory_bytes = 512;
/// A type, and an encapsulation that holds nothing.
constexpr std::size_t endpoint_bytes_min = 8;
constexpr std::uint32_t encapsulation_bytes_min = 6;

/// Members of structs and classes, items of sequences and dictionaries: Ice takes no more than so much for each byte.
/// It is a string-keyed dictionary of sequences that comes near.
constexpr std::size_t memory_bytes_for_each = 64;
/// Of an instance, which may be three bytes in a message, with what Ice notes of it while it reads.
constexpr std::size_t instance_memory_bytes = 1024;
/// In one block. They may hang on each other in a chain that is not nested in the message, and then one destroys the
/// next. And Ice bounds the depth of instances that it knows (Ice.ClassGraphDepthMax), but what hangs on those that it
/// passes over it reads one within the other, and counts nothing.
constexpr std::size_t instances_max = 5'000;

struct refused_instance final : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "too many instances"; }
};

/// Ice asks it for a factory before it makes an instance, or passes over a slice of one. It has none, so Ice takes
/// those of the generated code.
class instance_counter final : public Ice::ValueFactoryManager {
 public:
  explicit instance_counter(reader& from) : from_{from} {}

  void add(Ice::ValueFactory, const std::string&) override {}
  [[nodiscard]] Ice::ValueFactory find(const std::string& id) const noexcept override {
    // This may not throw; the factory for all types may, which Ice asks for next.
    if (!id.empty()) return {};
    return [this](const std::string&) {
      count();
      return std::shared_ptr<Ice::Value>{};
    };
  }
  void count() const {
    ++counted_;
    if (counted_ > kept_) {
      from_.keep(instance_memory_bytes);
      kept_ = counted_;
    }
    if (from_.failed() || counted_ > instances_max) throw refused_instance{};
  }
  /// The same ones come once more.
  void begin_again() { counted_ = 0; }

 private:
  reader& from_;
  mutable std::size_t counted_{0};
  mutable std::size_t kept_{0};
};

/// How many instances may stand in a block of which others hang, and whose class Ice does not ask for: of these the
/// counter would hear too late. Other bytes may look like one, but not that many in what anybody means to send.
std::size_t nameless_instances(byte_view content) noexcept {
  constexpr unsigned with_table_and_size = 0x18;
  constexpr unsigned name = 3;  // of the flags: none, a string, the index of one before, a number
  std::size_t out = 0;
  for (std::size_t at = 1; at < content.size(); ++at) {
    const unsigned flags = content[at];
    // An instance begins with 1. In a table Ice takes 0 for one, too.
    if (content[at - 1] > 1 || (flags & with_table_and_size) != with_table_and_size || (flags & name) == 3) continue;
    byte_view rest = content.subspan(at + 1);
    if ((flags & name) != 0) {
      if (rest.empty()) break;
      const bool is_long = rest.front() == 255;
      const std::size_t size = is_long ? 5 : 1;
      // Ice asks for one that has a name.
      if (((flags & name) == 1 && rest.front() != 0 && !is_long) || rest.size() < size) continue;
      rest = rest.subspan(size);
    }
    reader slice{rest};
    const std::uint32_t size = slice.u32();
    if (!slice.failed() && size >= sizeof(size) && size <= content.size()) ++out;
  }
  return out;
}

/// False for a null proxy. The encoding 1.1 of Ice has: identity, facet path, mode, whether it is secure, versions of
/// protocol and encoding, endpoints; without these an adapter's id.
bool pass_over_proxy(reader& from) {
  const bool has_name = !from.string().empty();
  const bool has_category = !from.string().empty();
  if (!has_name) {
    if (has_category) from.set_failed();
    return false;
  }
  const std::size_t facets = from.count(1);
  if (facets > 1) from.set_failed();
  if (facets == 1) static_cast<void>(from.string());
  static_cast<void>(from.u8());
  static_cast<void>(from.boolean());
  static_cast<void>(from.u32());
  const std::size_t endpoints = from.count(endpoint_bytes_min);
  from.keep(proxy_memory_bytes + endpoints * endpoint_memory_bytes);
  if (endpoints == 0) static_cast<void>(from.string());
  for (std::size_t left = endpoints; left != 0 && !from.failed(); --left) {
    static_cast<void>(from.u16());
    const std::uint32_t size = from.u32();
    if (size < encapsulation_bytes_min) {
      from.set_failed();
    } else {
      static_cast<void>(from.raw(size - sizeof(size)));
    }
  }
  return true;
}

/// By a stream over `content`; fails without streams, and if `what` throws.
template <typename Reading>
void read_by_ice(reader& from, byte_view content, Reading&& what) {
  if (from.failed()) return;
  try {
    const auto stream = from.streams() == nullptr ? nullptr : from.streams()->over(content);
    if (stream == nullptr) return from.set_failed();
    what(*stream);
  } catch (...) {
    // Of Ice, of the counter above, of an instance's own code, or for lack of memory.
    from.set_failed();
  }
}

}  // namespace

void write_by_ice(writer& into, const void* value, ice_writing write) {
  try {
    Ice::OutputStream stream;
    stream.setFormat(Ice::FormatType::SlicedFormat);
    write(stream, value);
    stream.writePendingValues();
    const auto [begin, end] = stream.finished();
    into.raw({begin, static_cast<std::size_t>(end - begin)});
  } catch (...) {
    into.set_failed();
  }
}

void read_proxy(reader& from, void* value, ice_reading read) {
  const byte_view whole = from.rest();
  if (!pass_over_proxy(from)) return;
  const byte_view content = whole.first(whole.size() - from.rest().size());
  read_by_ice(from, content, [&](Ice::InputStream& stream) {
    read(stream, value);
    if (stream.pos() != content.size()) from.set_failed();
  });
}

void read_graph(reader& from, void* value, ice_reading read) {
  const byte_view content = from.raw(from.rest().size());
  from.keep(content.size() * memory_bytes_for_each);
  const auto counter = std::make_shared<instance_counter>(from);
  const auto read_all = [&](Ice::InputStream& stream) {
    stream.setValueFactoryManager(counter);
    // A class may have a number for a name; one that is not known is asked for here only.
    stream.setCompactIdResolver([counter](int) {
      counter->count();
      return std::string{};
    });
    read(stream, value);
    stream.readPendingValues();
  };
  bool has_unknown = false;
  read_by_ice(from, content, [&](Ice::InputStream& stream) {
    stream.setSliceValues(false);
    try {
      read_all(stream);
    } catch (const Ice::NoValueFactoryException&) {
      has_unknown = true;
    }
  });
  if (from.failed() || !has_unknown) return;
  // Of a later build, perhaps: slices are passed over only where it is seen to be safe.
  if (nameless_instances(content) > instances_max) return from.set_failed();
  counter->begin_again();
  read_by_ice(from, content, read_all);
}

}  // namespace muster::message

#include "muster/descriptor/marshal.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <IceGrid/Admin.h>
#include <IceGrid/Descriptor.h>

#include "muster/base/codec.hpp"

namespace muster::descriptor {

namespace {

constexpr std::uint8_t format_version = 1;

/// What slice2cpp generates for a struct or a class: its members, inherited ones first, as a tuple of references.
template <typename Value>
concept slice_members = requires(const Value& value) {
  value.ice_tuple();
};

template <typename Class, std::uint8_t Tag>
struct tagged {
  using type = Class;
  static constexpr std::uint8_t tag = Tag;
};

/// The classes that a descriptor can hold, derived ones before their bases, with the bytes that tell them. The bytes
/// are part of the format: they are never given again.
using classes =
    std::tuple<tagged<IceGrid::IceBoxDescriptor, 3>, tagged<IceGrid::ServerDescriptor, 2>,
               tagged<IceGrid::ServiceDescriptor, 4>, tagged<IceGrid::CommunicatorDescriptor, 1>,
               tagged<IceGrid::RandomLoadBalancingPolicy, 6>, tagged<IceGrid::OrderedLoadBalancingPolicy, 7>,
               tagged<IceGrid::RoundRobinLoadBalancingPolicy, 8>, tagged<IceGrid::AdaptiveLoadBalancingPolicy, 9>,
               tagged<IceGrid::LoadBalancingPolicy, 5>, tagged<IceGrid::BoxedString, 10>,
               tagged<IceGrid::BoxedDistributionDescriptor, 11>>;

class descriptor_writer {
 public:
  void octet(std::uint8_t value) { out_.u8(value); }

  void write(bool value) { out_.u8(value ? 1 : 0); }
  template <std::signed_integral Number>
  void write(Number value) {
    out_.u64(static_cast<std::uint64_t>(value));
  }
  void write(const std::string& value) { out_.string(value); }

  template <typename Element>
  void write(const std::vector<Element>& value) {
    out_.size(value.size());
    for (const auto& element : value) write(element);
  }

  template <typename Element>
  void write(const std::map<std::string, Element>& value) {
    out_.size(value.size());
    for (const auto& [key, element] : value) {
      write(key);
      write(element);
    }
  }

  template <slice_members Value>
  void write(const Value& value) {
    std::apply([this](const auto&... members) { (this->write(members), ...); }, value.ice_tuple());
  }

  template <std::derived_from<Ice::Value> Class>
  void write(const std::shared_ptr<Class>& instance) {
    const bool written = std::apply(
        [&](auto... candidates) {
          return (this->template try_write<typename decltype(candidates)::type>(instance, candidates.tag) || ...);
        },
        classes{});
    if (!written) octet(0);
  }

  [[nodiscard]] bytes take() && { return std::move(out_).take(); }

 private:
  template <typename Class>
  [[nodiscard]] bool try_write(const Ice::ValuePtr& instance, std::uint8_t tag) {
    const auto* known = dynamic_cast<const Class*>(instance.get());
    if (known == nullptr) return false;
    octet(tag);
    write(*known);
    return true;
  }

  byte_writer out_;
};

class descriptor_reader {
 public:
  explicit descriptor_reader(byte_view input) noexcept : in_{input} {}

  [[nodiscard]] std::uint8_t octet() noexcept { return in_.u8(); }

  void read(bool& value) noexcept {
    const auto octet = in_.u8();
    if (octet > 1) in_.set_failed();
    value = octet == 1;
  }
  template <std::signed_integral Number>
  void read(Number& value) noexcept {
    value = static_cast<Number>(in_.u64());
  }
  void read(std::string& value) { value = in_.string(); }

  template <typename Element>
  void read(std::vector<Element>& value) {
    for (auto left = in_.count(); left != 0 && !in_.failed(); --left) read(value.emplace_back());
  }

  template <typename Element>
  void read(std::map<std::string, Element>& value) {
    for (auto left = in_.count(); left != 0 && !in_.failed(); --left) {
      std::string key;
      read(key);
      read(value[std::move(key)]);
    }
  }

  template <slice_members Value>
  void read(Value& value) {
    // The tuple promises not to change what it refers to; the value itself is not constant.
    std::apply([this](const auto&... members) { (this->read(mutable_member(members)), ...); }, value.ice_tuple());
  }

  template <std::derived_from<Ice::Value> Class>
  void read(std::shared_ptr<Class>& instance) {
    const auto tag = in_.u8();
    if (tag == 0) return;
    std::apply(
        [&](auto... candidates) {
          (try_read<typename decltype(candidates)::type>(instance, tag == candidates.tag), ...);
        },
        classes{});
    if (!instance) in_.set_failed();
  }

  [[nodiscard]] result<void> finish(std::string_view what) const { return in_.finish(what); }

 private:
  template <typename Member>
  [[nodiscard]] static Member& mutable_member(const Member& member) noexcept {
    return const_cast<Member&>(member);
  }

  template <typename Class, typename Wanted>
  void try_read(std::shared_ptr<Wanted>& instance, bool is_this_class) {
    // A class that cannot stand in this place counts as unknown.
    if constexpr (std::derived_from<Class, Wanted>) {
      if (!is_this_class) return;
      auto read_instance = std::make_shared<Class>();
      read(*read_instance);
      instance = std::move(read_instance);
    }
  }

  byte_reader in_;
};

template <typename Value>
[[nodiscard]] bytes encode_value(const Value& value) {
  descriptor_writer out;
  out.octet(format_version);
  out.write(value);
  return std::move(out).take();
}

template <typename Value>
[[nodiscard]] result<Value> decode_value(byte_view input, std::string_view what) {
  descriptor_reader in{input};
  const auto version = in.octet();
  if (!input.empty() && version != format_version) {
    return fail(errc::incompatible, "{} has the format {}, and this program knows {}", what, version, format_version);
  }
  Value value{};
  in.read(value);
  if (auto finished = in.finish(what); !finished) return fail(finished.error());
  return value;
}

}  // namespace

bytes encode(const IceGrid::ApplicationDescriptor& application) { return encode_value(application); }
bytes encode(const IceGrid::ApplicationInfo& application) { return encode_value(application); }
bytes encode(const IceGrid::ApplicationUpdateDescriptor& update) { return encode_value(update); }

result<IceGrid::ApplicationDescriptor> decode_application(byte_view input) {
  return decode_value<IceGrid::ApplicationDescriptor>(input, "an application descriptor");
}

result<IceGrid::ApplicationInfo> decode_application_info(byte_view input) {
  return decode_value<IceGrid::ApplicationInfo>(input, "an application");
}

result<IceGrid::ApplicationUpdateDescriptor> decode_application_update(byte_view input) {
  return decode_value<IceGrid::ApplicationUpdateDescriptor>(input, "an application's update");
}

}  // namespace muster::descriptor

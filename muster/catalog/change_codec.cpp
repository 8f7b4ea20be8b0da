#include <optional>
#include <utility>

#include <IceGrid/Descriptor.h>

#include "muster/base/codec.hpp"
#include "muster/catalog/change.hpp"
#include "muster/descriptor/marshal.hpp"

namespace muster::catalog {

namespace {

constexpr std::uint8_t format_version = 1;

// The kinds' numbers are part of the format: they are never given again.
enum class kind : std::uint8_t {
  add_object = 1,
  update_object = 2,
  remove_object = 3,
  set_adapter = 4,
  unset_adapter = 5,
  remove_adapter = 6,
  add_application = 7,
  sync_application = 8,
  update_application = 9,
  remove_application = 10,
};

class change_writer {
 public:
  explicit change_writer(byte_writer& out) noexcept : out_{out} {}

  void operator()(const add_object& one) {
    begin(kind::add_object);
    out_.string(one.type);
    out_.blob(one.proxy.content());
  }
  void operator()(const update_object& one) {
    begin(kind::update_object);
    out_.blob(one.proxy.content());
  }
  void operator()(const remove_object& one) {
    begin(kind::remove_object);
    out_.string(one.id.name);
    out_.string(one.id.category);
  }
  void operator()(const set_adapter& one) {
    begin(kind::set_adapter);
    out_.string(one.id);
    out_.string(one.replica_group);
    out_.blob(one.proxy.content());
  }
  void operator()(const unset_adapter& one) {
    begin(kind::unset_adapter);
    out_.string(one.id);
  }
  void operator()(const remove_adapter& one) {
    begin(kind::remove_adapter);
    out_.string(one.id);
  }
  void operator()(const add_application& one) {
    begin(kind::add_application);
    out_.string(one.uuid);
    write(one.by);
    out_.blob(descriptor::encode(*one.descriptor));
  }
  void operator()(const sync_application& one) {
    begin(kind::sync_application);
    write(one.by);
    out_.blob(descriptor::encode(*one.descriptor));
  }
  void operator()(const update_application& one) {
    begin(kind::update_application);
    write(one.by);
    out_.blob(descriptor::encode(*one.update));
  }
  void operator()(const remove_application& one) {
    begin(kind::remove_application);
    out_.string(one.name);
  }

 private:
  void begin(kind which) { out_.u8(static_cast<std::uint8_t>(which)); }
  void write(const edited& by) {
    out_.u64(static_cast<std::uint64_t>(by.time_ms));
    out_.string(by.user);
  }

  byte_writer& out_;
};

/// Reads the parts of a change. The first part that does not fit is kept as the error, and the caller asks once.
class change_reader {
 public:
  explicit change_reader(byte_view input) noexcept : in_{input} {}

  [[nodiscard]] std::uint8_t octet() noexcept { return in_.u8(); }
  [[nodiscard]] std::string string() { return std::string{in_.string()}; }
  [[nodiscard]] edited by() {
    const auto time_ms = static_cast<std::int64_t>(in_.u64());
    return {time_ms, string()};
  }
  [[nodiscard]] encoded_proxy proxy() { return checked(encoded_proxy::read(in_.blob())); }
  [[nodiscard]] std::shared_ptr<const IceGrid::ApplicationDescriptor> application() {
    return std::make_shared<const IceGrid::ApplicationDescriptor>(checked(descriptor::decode_application(in_.blob())));
  }
  [[nodiscard]] std::shared_ptr<const IceGrid::ApplicationUpdateDescriptor> update() {
    return std::make_shared<const IceGrid::ApplicationUpdateDescriptor>(
        checked(descriptor::decode_application_update(in_.blob())));
  }

  [[nodiscard]] result<void> finish() const {
    // A part that cannot be read may only be the consequence of input that ends too early.
    if (auto finished = in_.finish("a change"); !finished) return finished;
    if (error_) return fail(errc::corrupt, "a change: {}", error_->message);
    return {};
  }

 private:
  template <typename Part>
  [[nodiscard]] Part checked(result<Part> part) {
    if (part) return std::move(*part);
    if (!error_) error_ = std::move(part.error());
    return {};
  }

  byte_reader in_;
  std::optional<error> error_;
};

/// Nothing for a kind that is not known. Members are read in the order in which they stand.
[[nodiscard]] std::optional<change> read_change(kind which, change_reader& in) {
  switch (which) {
    case kind::add_object: return add_object{in.string(), in.proxy()};
    case kind::update_object: return update_object{in.proxy()};
    case kind::remove_object: return remove_object{Ice::Identity{in.string(), in.string()}};
    case kind::set_adapter: return set_adapter{in.string(), in.string(), in.proxy()};
    case kind::unset_adapter: return unset_adapter{in.string()};
    case kind::remove_adapter: return remove_adapter{in.string()};
    case kind::add_application: return add_application{in.string(), in.by(), in.application()};
    case kind::sync_application: return sync_application{in.by(), in.application()};
    case kind::update_application: return update_application{in.by(), in.update()};
    case kind::remove_application: return remove_application{in.string()};
  }
  return std::nullopt;
}

}  // namespace

bytes encode(const change& one) {
  byte_writer out;
  out.u8(format_version);
  std::visit(change_writer{out}, one);
  return std::move(out).take();
}

result<change> decode(byte_view input) {
  change_reader in{input};
  const auto version = in.octet();
  if (!input.empty() && version != format_version) {
    return fail(errc::incompatible, "a change has the format {}, and this program knows {}", version, format_version);
  }
  const auto which = in.octet();
  if (input.size() < 2) return fail(errc::corrupt, "a change ends before its kind");
  auto one = read_change(static_cast<kind>(which), in);
  if (!one) return fail(errc::incompatible, "a change is of kind {}, which this program does not know", which);
  if (auto finished = in.finish(); !finished) return fail(finished.error());
  return std::move(*one);
}

}  // namespace muster::catalog

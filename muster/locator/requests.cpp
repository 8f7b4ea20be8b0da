#include "muster/locator/requests.hpp"

#include <utility>

#include "muster/locator/proxy_transcoding.hpp"

namespace muster::locator {

namespace {

struct opened {
  encoding version{};
  ice_reader in;
};

result<opened> open(byte_view params) {
  ice_reader in{params};
  const std::int32_t size = in.i32();
  const std::uint8_t major = in.u8();
  const std::uint8_t minor = in.u8();
  if (in.failed() || size < 0 || static_cast<std::size_t>(size) != params.size()) {
    return fail(errc::corrupt, "the parameters are not one encapsulation");
  }
  if (major != 1 || minor > 1) {
    return fail(errc::incompatible, "encoding {}.{} is not supported: 1.0 and 1.1 are", major, minor);
  }
  return opened{static_cast<encoding>(minor), in};
}

// Opens the encapsulation, lets `read` take the parameters off it, and checks that it took all of them.
template <typename Params, typename Read>
result<request<Params>> read_all(byte_view params, Read&& read) {
  auto opening = open(params);
  if (!opening) return fail(std::move(opening.error()));
  request<Params> out{opening->version, {}};
  if (result<void> done = read(opening->in, out); !done) return fail(std::move(done.error()));
  if (opening->in.failed()) return fail(errc::corrupt, "the parameters end too early");
  if (!opening->in.at_end()) return fail(errc::corrupt, "there is more than the parameters of the operation");
  return out;
}

result<void> take_proxy(ice_reader& in, encoding version, catalog::encoded_proxy& proxy) {
  bytes as_1_1;
  if (result<void> done = transcode_proxy(in, version, encoding::v1_1, as_1_1); !done) {
    return fail(std::move(done.error()));
  }
  auto checked = catalog::encoded_proxy::read(as_1_1);
  if (!checked) return fail(std::move(checked.error()));
  proxy = *std::move(checked);
  return {};
}

}  // namespace

result<request<no_params>> read_no_params(byte_view params) {
  return read_all<no_params>(params, [](ice_reader&, auto&) -> result<void> { return {}; });
}

result<request<catalog::identity_view>> read_identity(byte_view params) {
  return read_all<catalog::identity_view>(params, [](ice_reader& in, auto& out) -> result<void> {
    out.params.name = in.string();
    out.params.category = in.string();
    return {};
  });
}

result<request<std::string_view>> read_string(byte_view params) {
  return read_all<std::string_view>(params, [](ice_reader& in, auto& out) -> result<void> {
    out.params = in.string();
    return {};
  });
}

result<request<type_and_sample>> read_type_and_sample(byte_view params) {
  return read_all<type_and_sample>(params, [](ice_reader& in, auto& out) -> result<void> {
    out.params.type = in.string();
    // A size in 1.1 and, since there are fewer than 127 values, a byte in 1.0: the same byte for what is allowed.
    const std::uint8_t sample = in.u8();
    if (sample > static_cast<std::uint8_t>(load_sample::fifteen_minutes)) {
      return fail(errc::corrupt, "{} is no load sample: 0, 1 and 2 are", sample);
    }
    out.params.sample = static_cast<load_sample>(sample);
    return {};
  });
}

result<request<catalog::encoded_proxy>> read_proxy(byte_view params) {
  return read_all<catalog::encoded_proxy>(
      params, [](ice_reader& in, auto& out) { return take_proxy(in, out.version, out.params); });
}

result<request<adapter_registration>> read_adapter_registration(byte_view params) {
  return read_all<adapter_registration>(params, [](ice_reader& in, auto& out) {
    out.params.adapter_id = in.string();
    return take_proxy(in, out.version, out.params.proxy);
  });
}

result<request<adapter_registration>> read_replicated_adapter_registration(byte_view params) {
  return read_all<adapter_registration>(params, [](ice_reader& in, auto& out) {
    out.params.adapter_id = in.string();
    out.params.replica_group_id = in.string();
    return take_proxy(in, out.version, out.params.proxy);
  });
}

}  // namespace muster::locator

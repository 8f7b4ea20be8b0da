// What is written and read by hand on the fast paths, held against the Ice runtime itself: the same bytes, both ways,
// in both encodings.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Ice/Ice.h>
#include <IceSSL/IceSSL.h>

#include "muster/locator/proxy_transcoding.hpp"
#include "muster/locator/replies.hpp"
#include "muster/locator/requests.hpp"

namespace muster::ice {
namespace {

using locator::encoding;

Ice::EncodingVersion version_of(encoding version) {
  return version == encoding::v1_0 ? Ice::Encoding_1_0 : Ice::Encoding_1_1;
}

const Ice::CommunicatorPtr& communicator() {
  static const Ice::CommunicatorHolder holder = [] {
    Ice::registerIceSSL();
    Ice::InitializationData data;
    data.properties = Ice::createProperties();
    data.properties->setProperty("Ice.Plugin.IceSSL", "IceSSL:createIceSSL");
    return Ice::CommunicatorHolder{data};
  }();
  return holder.communicator();
}

/// What the runtime writes as an encapsulation of the given values.
template <typename... Values>
bytes written_by_ice(encoding version, const Values&... values) {
  Ice::OutputStream out{communicator(), version_of(version)};
  out.startEncapsulation(version_of(version), Ice::FormatType::DefaultFormat);
  (out.write(values), ...);
  out.endEncapsulation();
  bytes finished;
  out.finished(finished);
  return finished;
}

bytes without_header(const bytes& encapsulation) {
  return {encapsulation.begin() + locator::encapsulation_header_bytes, encapsulation.end()};
}

std::shared_ptr<Ice::ObjectPrx> proxy_of(const std::string& text) { return communicator()->stringToProxy(text); }

rc::Gen<std::string> endpoint_texts() {
  return rc::gen::map(rc::gen::tuple(rc::gen::element<std::string>("tcp", "ssl", "ws", "wss", "udp"),
                                     rc::gen::element<std::string>("h", "127.0.0.1", "host.example.org", "\"::1\""),
                                     rc::gen::inRange(1, 65536), rc::gen::element<std::string>("", " -z"),
                                     rc::gen::element<std::string>("", " -t 5000", " -t infinite")),
                      [](const auto& parts) {
                        const auto& [transport, host, port, compressed, timeout] = parts;
                        std::string text = transport + " -h " + host + " -p " + std::to_string(port) + compressed;
                        if (transport != "udp") text += timeout;
                        if (transport.starts_with("ws")) text += " -r /path";
                        return text;
                      });
}

rc::Gen<std::string> proxy_texts() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::element<std::string>("a", "cat/name", "\"with space/and name\""),
                     rc::gen::element<std::string>("", " -f facet"),
                     rc::gen::element<std::string>(" -t", " -o", " -O", " -d", " -D"),
                     rc::gen::element<std::string>("", " -s"), rc::gen::element<std::string>("", " -e 1.0"),
                     rc::gen::element<std::string>("", " @ adapter", " @ \"an adapter\""),
                     rc::gen::container<std::vector<std::string>>(endpoint_texts())),
      [](const auto& parts) {
        const auto& [identity, facet, mode, secure, spoken, adapter, endpoints] = parts;
        std::string text = identity + facet + mode + secure + spoken;
        if (endpoints.empty()) return text + adapter;
        for (const auto& endpoint : endpoints) text += ":" + endpoint;
        return text;
      });
}

RC_GTEST_PROP(ice_encoding, of_a_proxy_is_rewritten_as_the_runtime_writes_it, ()) {
  const auto proxy = proxy_of(*proxy_texts());
  const bytes in_1_1 = without_header(written_by_ice(encoding::v1_1, proxy));
  const bytes in_1_0 = without_header(written_by_ice(encoding::v1_0, proxy));

  bytes out;
  locator::ice_reader from_1_1{in_1_1};
  RC_ASSERT(locator::transcode_proxy(from_1_1, encoding::v1_1, encoding::v1_0, out).has_value());
  RC_ASSERT(from_1_1.at_end());
  RC_ASSERT(out == in_1_0);

  // What the runtime makes of the 1.0 form, which has no versions, is what is stored of it here.
  Ice::InputStream in{communicator(), Ice::Encoding_1_0, in_1_0};
  std::shared_ptr<Ice::ObjectPrx> understood;
  in.read(understood);
  out.clear();
  locator::ice_reader from_1_0{in_1_0};
  RC_ASSERT(locator::transcode_proxy(from_1_0, encoding::v1_0, encoding::v1_1, out).has_value());
  RC_ASSERT(out == without_header(written_by_ice(encoding::v1_1, understood)));
}

RC_GTEST_PROP(ice_encoding, of_replies_is_the_runtimes, ()) {
  const auto proxy = proxy_of(*proxy_texts());
  const bytes stored = without_header(written_by_ice(encoding::v1_1, proxy));
  const auto count = *rc::gen::element<std::size_t>(0, 1, 3, 254, 255, 300);
  for (const encoding version : {encoding::v1_0, encoding::v1_1}) {
    bytes reply;
    locator::append_proxy_reply(version, stored, reply);
    RC_ASSERT(reply == written_by_ice(version, proxy));
    reply.clear();
    locator::append_proxies_reply(version, std::vector<byte_view>(count, stored), reply);
    RC_ASSERT(reply == written_by_ice(version, Ice::ObjectProxySeq(count, proxy)));
  }
}

TEST(ice_encoding, of_null_and_void_replies_is_the_runtimes) {
  for (const encoding version : {encoding::v1_0, encoding::v1_1}) {
    bytes reply;
    locator::append_null_reply(version, reply);
    EXPECT_EQ(reply, written_by_ice(version, std::shared_ptr<Ice::ObjectPrx>{}));
    const byte_view nothing = locator::void_reply(version);
    EXPECT_EQ(bytes(nothing.begin(), nothing.end()), written_by_ice(version));
  }
}

template <typename Exception>
bytes exception_written_by_ice(encoding version) {
  Ice::OutputStream out{communicator(), version_of(version)};
  out.startEncapsulation(version_of(version), Ice::FormatType::DefaultFormat);
  out.writeException(Exception{});
  out.endEncapsulation();
  bytes finished;
  out.finished(finished);
  return finished;
}

TEST(ice_encoding, of_exceptions_is_the_runtimes) {
  using locator::locator_exception;
  for (const encoding version : {encoding::v1_0, encoding::v1_1}) {
    const auto ours = [version](locator_exception which) {
      const byte_view reply = locator::exception_reply(version, which);
      return bytes(reply.begin(), reply.end());
    };
    EXPECT_EQ(ours(locator_exception::object_not_found),
              exception_written_by_ice<Ice::ObjectNotFoundException>(version));
    EXPECT_EQ(ours(locator_exception::adapter_not_found),
              exception_written_by_ice<Ice::AdapterNotFoundException>(version));
    EXPECT_EQ(ours(locator_exception::adapter_already_active),
              exception_written_by_ice<Ice::AdapterAlreadyActiveException>(version));
    EXPECT_EQ(ours(locator_exception::invalid_replica_group_id),
              exception_written_by_ice<Ice::InvalidReplicaGroupIdException>(version));
    EXPECT_EQ(ours(locator_exception::server_not_found),
              exception_written_by_ice<Ice::ServerNotFoundException>(version));
  }
}

RC_GTEST_PROP(ice_encoding, of_requests_is_read_as_the_runtime_writes_it, (std::string one, std::string two)) {
  if (*rc::gen::arbitrary<bool>()) one.append(300, 'x');
  const auto proxy = proxy_of(*proxy_texts());
  for (const encoding version : {encoding::v1_0, encoding::v1_1}) {
    const bytes identity = written_by_ice(version, Ice::Identity{one, two});
    const auto read_id = locator::read_identity(identity);
    RC_ASSERT(read_id.has_value());
    RC_ASSERT(read_id->version == version);
    RC_ASSERT(catalog::to_identity(read_id->params) == (Ice::Identity{one, two}));

    const bytes text = written_by_ice(version, one);
    RC_ASSERT(locator::read_string(text).value().params == one);

    const bytes registration = written_by_ice(version, one, two, proxy);
    const auto read = locator::read_replicated_adapter_registration(registration);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->params.adapter_id == one);
    RC_ASSERT(read->params.replica_group_id == two);
    const bytes as_sent = without_header(written_by_ice(version, proxy));
    Ice::InputStream in{communicator(), version_of(version), as_sent};
    std::shared_ptr<Ice::ObjectPrx> understood;
    in.read(understood);
    const byte_view stored = read->params.proxy.content();
    RC_ASSERT(bytes(stored.begin(), stored.end()) == without_header(written_by_ice(encoding::v1_1, understood)));
  }
}

}  // namespace
}  // namespace muster::ice

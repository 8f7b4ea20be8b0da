#include <gtest/gtest.h>

#include "muster/ice/communicator.hpp"
#include "muster/ice/exceptions.hpp"
#include "tests/support/event_recorder.hpp"

namespace muster::ice {
namespace {

config::registry_settings settings_at(const std::string& client_endpoints) {
  config::registry_settings made;
  made.instance_name = "T";
  made.replica_name = "Master";
  made.endpoints = {client_endpoints, "tcp -h 127.0.0.1", "tcp -h 127.0.0.1", "", ""};
  made.sessions.session_timeout = std::chrono::seconds{17};
  made.sessions.node_session_timeout = std::chrono::seconds{60};
  made.sessions.replica_session_timeout = std::chrono::seconds{40};
  return made;
}

TEST(communicator, gives_each_adapter_one_thread_of_its_own_unless_told_otherwise) {
  const auto completed =
      complete_properties(settings_at("tcp -h 127.0.0.1"), {{"IceGrid.Registry.Server.ThreadPool.Size", "3"}});
  EXPECT_EQ(completed.at("IceGrid.Registry.Client.ThreadPool.Size"), "1");
  EXPECT_EQ(completed.at("IceGrid.Registry.Server.ThreadPool.Size"), "3");
  EXPECT_EQ(completed.at("IceGrid.Registry.Internal.ThreadPool.Serialize"), "1");
}

TEST(communicator, bounds_idle_connections_by_the_session_timeouts) {
  const auto completed =
      complete_properties(settings_at("tcp -h 127.0.0.1"), {{"IceGrid.Registry.Server.ACM.Timeout", "5"}});
  EXPECT_EQ(completed.at("IceGrid.Registry.Client.ACM.Timeout"), "17");
  EXPECT_EQ(completed.at("IceGrid.Registry.Server.ACM.Timeout"), "5");
  EXPECT_EQ(completed.at("IceGrid.Registry.Internal.ACM.Timeout"), "40");
}

TEST(communicator, is_not_located_through_another) {
  const auto completed =
      complete_properties(settings_at("tcp -h 127.0.0.1"), {{"IceGrid.Registry.Client.AdapterId", "Elsewhere"}});
  EXPECT_EQ(completed.at("IceGrid.Registry.Client.AdapterId"), "");
}

TEST(communicator, loads_tls_where_an_endpoint_needs_it) {
  const auto plain = complete_properties(settings_at("tcp -h 127.0.0.1:ws -h 127.0.0.1"), {});
  EXPECT_EQ(plain.count("Ice.Plugin.IceSSL"), 0U);
  const auto tls = complete_properties(settings_at("tcp -h 127.0.0.1: ssl -h 127.0.0.1"), {});
  EXPECT_EQ(tls.at("Ice.Plugin.IceSSL"), "IceSSL:createIceSSL");
  tests::event_recorder log;
  const auto made = make_communicator(settings_at("ssl -h 127.0.0.1"), {}, log);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NO_THROW((void)(*made)->stringToProxy("x:ssl -h 127.0.0.1 -p 1"));
  (*made)->destroy();
}

TEST(communicator, says_what_ice_did_not_take) {
  tests::event_recorder log;
  const auto made =
      make_communicator(settings_at("tcp -h 127.0.0.1"), {{"Ice.Plugin.Missing", "NoSuchLibrary:create"}}, log);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::invalid_argument);
  EXPECT_EQ(made.error().message.find("Ice.Plugin.Missing=NoSuchLibrary:create: "), 0U) << made.error().message;
  EXPECT_EQ(made.error().message.find('\n'), std::string::npos) << made.error().message;
}

TEST(communicator, names_the_property_of_tls_that_cannot_be_used_and_no_password) {
  tests::event_recorder log;
  const auto refusal = [&](const config::property_map& properties) {
    const auto made = make_communicator(settings_at("ssl -h 127.0.0.1"), properties, log);
    return made ? std::string{"not refused"} : made.error().message;
  };
  EXPECT_EQ(refusal({{"IceSSL.CertFile", "/nowhere.pem"}, {"IceSSL.Password", "secret"}}),
            "IceSSL.CertFile=/nowhere.pem, IceSSL.Password (set, and not shown): certificate file not found: "
            "/nowhere.pem; allowed is the file of a certificate (PEM or PKCS12); a relative path leads from "
            "IceSSL.DefaultDir");
  EXPECT_EQ(
      refusal({{"IceSSL.CAs", "authorities"}, {"IceSSL.DefaultDir", "/nowhere"}}),
      "IceSSL.CAs=authorities, IceSSL.DefaultDir=/nowhere: CA certificate path not found: authorities; allowed is "
      "a file with certificates of authorities (PEM), or a directory of such files; a relative path leads from "
      "IceSSL.DefaultDir");
}

TEST(communicator, logs_what_the_run_time_says_as_events) {
  tests::event_recorder log;
  const auto made = make_communicator(settings_at("tcp -h 127.0.0.1"), {}, log);
  ASSERT_TRUE(made);
  (*made)->getLogger()->warning("look here");
  (*made)->getLogger()->cloneWithPrefix("plug-in")->error("and here");
  EXPECT_TRUE(log.wait_for("ice_warning", "look here"));
  EXPECT_TRUE(log.wait_for("ice_error", "program=plug-in", "and here"));
  (*made)->destroy();
}

TEST(exceptions, of_the_run_time_are_told_apart_by_what_a_caller_may_do) {
  const auto code = [](const auto& thrown) { return to_error(std::make_exception_ptr(thrown)).code; };
  EXPECT_EQ(code(Ice::InvocationTimeoutException{__FILE__, __LINE__}), errc::timed_out);
  EXPECT_EQ(code(Ice::ConnectTimeoutException{__FILE__, __LINE__}), errc::unavailable);
  EXPECT_EQ(code(Ice::ConnectionRefusedException{__FILE__, __LINE__}), errc::unavailable);
  EXPECT_EQ(code(Ice::ConnectionLostException{__FILE__, __LINE__}), errc::outcome_unknown);
  EXPECT_EQ(code(Ice::ObjectNotExistException{__FILE__, __LINE__}), errc::unavailable);
  EXPECT_EQ(code(Ice::OperationNotExistException{__FILE__, __LINE__}), errc::incompatible);
}

TEST(exceptions, as_text_do_not_name_the_run_times_sources) {
  const auto text = to_text(std::make_exception_ptr(Ice::ConnectionRefusedException{"../src/Ice/Network.cpp", 7}));
  EXPECT_EQ(text.find("Network.cpp"), std::string::npos) << text;
  EXPECT_NE(text.find("ConnectionRefusedException"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

}  // namespace
}  // namespace muster::ice

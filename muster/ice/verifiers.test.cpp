#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <utility>

#include <Glacier2/PermissionsVerifier.h>

#include "muster/ice/verifiers.hpp"

namespace muster::ice {
namespace {

/// A verifier as somebody else would write one; answers as the user's name asks it to.
class scripted_verifier final : public Glacier2::PermissionsVerifier {
 public:
  void checkPermissionsAsync(std::string user, std::string password,
                             std::function<void(bool, const std::string&)> response,
                             std::function<void(std::exception_ptr)> error, const Ice::Current&) const override {
    if (user == "thrown") {
      error(std::make_exception_ptr(Glacier2::PermissionDeniedException{"thrown out"}));
    } else if (user == "broken") {
      error(std::make_exception_ptr(Ice::UnknownException{__FILE__, __LINE__, "no mood"}));
    } else if (user == "silent") {
      held_.keep(std::move(response));
    } else {
      response(password == "right", password == "right" ? "" : "wrong password");
    }
  }

  /// Answers whoever still waits: a communicator does not end before.
  void let_go() {
    if (const auto answer = held_.take()) answer(false, "");
  }

 private:
  // Written by a dispatch thread, taken at the end of the test.
  class held_answer {
   public:
    void keep(std::function<void(bool, const std::string&)> answer) {
      const std::lock_guard lock{mutex_};
      answer_ = std::move(answer);
    }
    std::function<void(bool, const std::string&)> take() {
      const std::lock_guard lock{mutex_};
      return std::exchange(answer_, nullptr);
    }

   private:
    std::mutex mutex_;
    std::function<void(bool, const std::string&)> answer_;
  };

  mutable held_answer held_;
};

class verifiers : public testing::Test {
 protected:
  void SetUp() override {
    settings_.instance_name = "T";
    settings_.requests.verifier_timeout = std::chrono::milliseconds{300};
    adapter_ = holder_->createObjectAdapterWithEndpoints("Verifiers", "tcp -h 127.0.0.1");
    object_ = adapter_->add(servant_, {"verifier", ""});
    adapter_->activate();
  }
  void TearDown() override { servant_->let_go(); }

  static Ice::InitializationData without_warnings() {
    Ice::InitializationData start;
    start.properties = Ice::createProperties();
    start.properties->setProperty("Ice.Warn.Dispatch", "0");
    return start;
  }

  permissions_verifiers make() {
    auto made = make_verifiers(holder_.communicator(), settings_, sources_);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? *made : permissions_verifiers{};
  }

  static result<verdict> ask(permissions_verifier& verifier, const std::string& user, const std::string& password) {
    std::promise<result<verdict>> answered;
    verifier.check(user, password, [&](result<verdict> said) { answered.set_value(std::move(said)); });
    return answered.get_future().get();
  }

  const std::shared_ptr<scripted_verifier> servant_ = std::make_shared<scripted_verifier>();
  const Ice::CommunicatorHolder holder_{without_warnings()};
  Ice::ObjectAdapterPtr adapter_;
  std::shared_ptr<Ice::ObjectPrx> object_;
  config::registry_settings settings_;
  verifier_sources sources_;
};

TEST_F(verifiers, are_null_where_none_is_configured) {
  const auto made = make();
  EXPECT_EQ(made.client, nullptr);
  EXPECT_EQ(made.client_ssl, nullptr);
  EXPECT_EQ(made.admin, nullptr);
  EXPECT_EQ(made.admin_ssl, nullptr);
}

TEST_F(verifiers, of_the_null_kind_let_everybody_in) {
  settings_.admin_permissions.verifier = "T/NullPermissionsVerifier";
  settings_.admin_permissions.ssl_verifier = "T/NullSSLPermissionsVerifier";
  const auto made = make();
  ASSERT_NE(made.admin, nullptr);
  EXPECT_TRUE(ask(*made.admin, "anybody", "anything")->is_allowed);
  bool is_allowed = false;
  made.admin_ssl->authorise({}, [&](result<verdict> said) { is_allowed = said && said->is_allowed; });
  EXPECT_TRUE(is_allowed);
}

TEST_F(verifiers, of_the_null_kind_of_another_instance_are_objects_that_nobody_finds) {
  settings_.admin_permissions.verifier = "Other/NullPermissionsVerifier";
  const auto made = make();
  EXPECT_FALSE(ask(*made.admin, "anybody", "anything"));
}

TEST_F(verifiers, hand_on_what_an_object_says) {
  settings_.client_permissions.verifier = object_->ice_toString();
  const auto made = make();
  EXPECT_TRUE(ask(*made.client, "joe", "right")->is_allowed);
  const auto wrong = ask(*made.client, "joe", "wrong");
  EXPECT_FALSE(wrong->is_allowed);
  EXPECT_EQ(wrong->reason, "wrong password");
  EXPECT_EQ(ask(*made.client, "thrown", "")->reason, "thrown out");
  EXPECT_FALSE(ask(*made.client, "broken", ""));
}

TEST_F(verifiers, give_a_silent_object_up_at_the_bound) {
  settings_.client_permissions.verifier = object_->ice_toString();
  const auto made = make();
  const auto said = ask(*made.client, "silent", "");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, errc::timed_out);
}

TEST_F(verifiers, report_an_object_that_cannot_be_reached) {
  settings_.client_permissions.verifier = "gone:tcp -h 127.0.0.1 -p 1";
  const auto made = make();
  const auto said = ask(*made.client, "joe", "");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, errc::unavailable);
}

TEST_F(verifiers, ask_the_file_of_passwords_only_without_a_proxy) {
  sources_.client_passwords = [](const std::string& user, const std::string& password,
                                 const std::function<void(result<bool>)>& then) {
    if (user == "flood") {
      then(fail(errc::limit_exceeded, "too many wait"));
    } else {
      then(password == "in the file");
    }
  };
  auto made = make();
  EXPECT_TRUE(ask(*made.client, "joe", "in the file")->is_allowed);
  EXPECT_FALSE(ask(*made.client, "joe", "right")->is_allowed);
  EXPECT_EQ(ask(*made.client, "flood", "").error().code, errc::limit_exceeded);

  settings_.client_permissions.verifier = object_->ice_toString();
  made = make();
  EXPECT_TRUE(ask(*made.client, "joe", "right")->is_allowed);
}

TEST_F(verifiers, with_a_proxy_that_cannot_be_read_name_its_property) {
  settings_.admin_permissions.ssl_verifier = "verifier:tcp -p nonsense";
  const auto made = make_verifiers(holder_.communicator(), settings_, sources_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::invalid_argument);
  EXPECT_NE(made.error().message.find("IceGrid.Registry.AdminSSLPermissionsVerifier"), std::string::npos);
}

TEST_F(verifiers, are_told_nothing_of_a_connection_without_tls) {
  object_->ice_ping();
  const auto info = ssl_info_of(object_->ice_getConnection());
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().message, "not ssl connection");
}

}  // namespace
}  // namespace muster::ice

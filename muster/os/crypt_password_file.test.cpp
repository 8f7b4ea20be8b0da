#include "muster/os/crypt_password_file.hpp"

#include <crypt.h>

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/os/crypt_password_worker.hpp"

namespace muster::os {
namespace {

using ::testing::HasSubstr;

std::string hash_of(const char* password, const char* setting) {
  crypt_data scratch{};
  const char* computed = ::crypt_r(password, setting, &scratch);
  return computed == nullptr ? "" : computed;
}

crypt_password_file file_of(const std::string& text) {
  auto parsed = crypt_password_file::parse(text, "passwords");
  EXPECT_TRUE(parsed) << parsed.error().message;
  return std::move(*parsed);
}

TEST(crypt_password_file, accepts_the_right_password_in_each_of_crypts_methods) {
  const std::string text = "anna " + hash_of("secret", "$6$saltsalt$") + "\nbert " + hash_of("other", "$5$salt$") +
                           "\n\n# a remark\ncarl\t" + hash_of("old", "ab") + "\r\n";
  const crypt_password_file file = file_of(text);
  EXPECT_EQ(file.user_count(), 3U);
  EXPECT_TRUE(file.accepts("anna", "secret"));
  EXPECT_TRUE(file.accepts("bert", "other"));
  EXPECT_TRUE(file.accepts("carl", "old"));
}

TEST(crypt_password_file, denies_everything_else) {
  const std::string anna = "anna " + hash_of("secret", "$6$saltsalt$");
  const crypt_password_file file = file_of(anna + "\nlocked *\nlocked2 !\nfailed *0\nempty x\n");
  EXPECT_FALSE(file.accepts("anna", "Secret"));
  EXPECT_FALSE(file.accepts("anna", ""));
  EXPECT_FALSE(file.accepts("dora", "secret"));
  EXPECT_FALSE(file.accepts("", ""));
  EXPECT_FALSE(file.accepts("anna", std::string_view{"secret\0more", 11}));
  for (const char* user : {"locked", "locked2", "failed", "empty"}) {
    for (const char* password : {"", "*", "*0", "*1", "!", "x"}) EXPECT_FALSE(file.accepts(user, password)) << user;
  }
  EXPECT_FALSE(file_of("").accepts("anna", "secret"));
}

TEST(crypt_password_file, names_the_line_that_is_wrong) {
  const auto refusal = [](const char* text) {
    const auto parsed = crypt_password_file::parse(text, "/etc/passwords");
    return parsed ? "not refused" : parsed.error().message;
  };
  EXPECT_EQ(refusal("anna h\nbert\n"), "/etc/passwords line 2: allowed is one user and one hash, separated by a blank");
  EXPECT_THAT(refusal("anna h more"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("anna h\n\nanna h"), HasSubstr("line 3: user anna stands in it twice"));
}

TEST(crypt_password_file, is_refused_by_name_when_it_is_not_there) {
  const auto loaded = crypt_password_file::load("/nowhere/passwords");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("/nowhere/passwords"));
}

RC_GTEST_PROP(crypt_password_file, is_read_or_refused_whatever_it_holds, (const std::string& text)) {
  const auto parsed = crypt_password_file::parse(text, "passwords");
  RC_ASSERT((parsed.has_value() || parsed.error().code == errc::invalid_argument));
}

TEST(crypt_password_worker, answers_on_its_own_thread) {
  std::promise<bool> right;
  std::promise<bool> wrong;
  crypt_password_worker worker{file_of("anna " + hash_of("secret", "$6$saltsalt$"))};
  worker.check("anna", "secret", [&](result<bool> accepted) { right.set_value(accepted.value_or(false)); });
  worker.check("anna", "guess", [&](result<bool> accepted) { wrong.set_value(accepted.value_or(true)); });
  EXPECT_TRUE(right.get_future().get());
  EXPECT_FALSE(wrong.get_future().get());
}

TEST(crypt_password_worker, refuses_what_is_too_much_and_answers_each_check_once) {
  std::size_t answered = 0;
  std::size_t refused = 0;
  constexpr std::size_t asked = crypt_password_worker::waiting_max + 50;
  {
    // The worker ends, and its thread with it, before what the thread waits for.
    std::promise<void> begun;
    std::promise<void> go_on;
    crypt_password_worker worker{file_of("anna " + hash_of("secret", "$6$saltsalt$"))};
    worker.check("", "", [&](result<bool>) {
      begun.set_value();
      go_on.get_future().wait();
    });
    begun.get_future().wait();
    for (std::size_t i = 0; i < asked; ++i) {
      worker.check("anna", "guess", [&](result<bool> accepted) {
        ++answered;
        if (!accepted && accepted.error().code == errc::limit_exceeded) ++refused;
      });
    }
    EXPECT_EQ(refused, 50U);
    go_on.set_value();
  }
  EXPECT_EQ(answered, asked);
}

}  // namespace
}  // namespace muster::os

#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

#include "tests/support/scratch_directory.hpp"

namespace muster::tests {

/// An authority that issues certificates, made on the spot by openssl(1). Its files go with it.
class certificate_authority {
 public:
  using properties = std::map<std::string, std::string, std::less<>>;

  explicit certificate_authority(const std::string& name) {
    new_key("ca");
    openssl(fmt::format("req -x509 -new -key {0}/ca.key -subj '/O=Test/CN={1}' -days 2 -out {0}/ca.pem", at(), name));
  }

  /// The IceSSL properties of who has a certificate with this subject and, if any, these alternative names.
  [[nodiscard]] properties issue(const std::string& subject, const std::string& alternative_names = {}) {
    const std::string file = fmt::format("{}/{}", at(), ++issued_);
    new_key(std::to_string(issued_));
    openssl(fmt::format("req -new -key {0}.key -subj '{1}' -out {0}.csr", file, subject));
    std::string extension;
    if (!alternative_names.empty()) {
      run(fmt::format("printf 'subjectAltName={}' > {}.ext", alternative_names, file));
      extension = fmt::format("-extfile {}.ext", file);
    }
    openssl(
        fmt::format("x509 -req -in {0}.csr -CA {1}/ca.pem -CAkey {1}/ca.key -CAcreateserial -days 2 {2} -out {0}.pem",
                    file, at(), extension));
    auto out = trust();
    out["IceSSL.CertFile"] = file + ".pem";
    out["IceSSL.KeyFile"] = file + ".key";
    return out;
  }
  /// Of who trusts this authority and has no certificate.
  [[nodiscard]] properties trust() const { return {{"IceSSL.CAs", at() + "/ca.pem"}}; }

 private:
  [[nodiscard]] std::string at() const { return directory_.path().string(); }
  void new_key(const std::string& name) {
    openssl(fmt::format("ecparam -name prime256v1 -genkey -noout -out {}/{}.key", at(), name));
  }
  static void openssl(const std::string& arguments) { run(fmt::format("openssl {} > /dev/null 2>&1", arguments)); }
  static void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

  scratch_directory directory_;
  int issued_{0};
};

}  // namespace muster::tests

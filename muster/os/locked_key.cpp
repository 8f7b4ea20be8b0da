#include "muster/os/locked_key.hpp"

#include <fcntl.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "muster/os/file.hpp"

namespace muster::os {
namespace {

std::string value_of(const config::property_map& properties, std::string_view name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string{} : found->second;
}

bool has_terminal() {
  // What OpenSSL opens to ask for a password.
  const file_descriptor terminal{::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)};
  return static_cast<bool>(terminal);
}

// RFC 7468, section 11, and the older form of RFC 1421, section 4.6.1.1.
bool is_locked(std::string_view pem) {
  return pem.find("-----BEGIN ENCRYPTED PRIVATE KEY-----") != std::string_view::npos ||
         pem.find("Proc-Type: 4,ENCRYPTED") != std::string_view::npos;
}

}  // namespace

result<void> check_locked_key(const config::property_map& properties) {
  if (!value_of(properties, "IceSSL.Password").empty()) return {};
  const bool is_apart = !value_of(properties, "IceSSL.KeyFile").empty();
  const std::string_view name = is_apart ? "IceSSL.KeyFile" : "IceSSL.CertFile";
  const auto given = value_of(properties, name);
  if (given.empty()) return {};
  constexpr std::size_t file_bytes_max = std::size_t{1} << 20U;
  // An absolute path stays as it is.
  const auto content =
      read_file(std::filesystem::path{value_of(properties, "IceSSL.DefaultDir")} / given, file_bytes_max);
  if (!content || !is_locked({reinterpret_cast<const char*>(content->data()), content->size()})) return {};
  if (has_terminal()) return {};
  return fail(errc::invalid_argument,
              "{}={}: the key is locked, and IceSSL.Password is not set; allowed is its password, or a key that is not "
              "locked",
              name, given);
}

}  // namespace muster::os

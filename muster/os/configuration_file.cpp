#include "muster/os/configuration_file.hpp"

#include <string>
#include <string_view>

#include "muster/config/hocon.hpp"
#include "muster/os/file.hpp"

namespace muster::os {

result<config::property_map> read_configuration(const std::filesystem::path& file) {
  const config::hocon_bounds bounds;
  const auto content = read_file(file, bounds.text_bytes_max);
  if (!content) return fail(content.error());
  const std::string text{content->begin(), content->end()};
  return config::read_hocon(text, file.string(), bounds);
}

}  // namespace muster::os

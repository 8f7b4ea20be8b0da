#include "muster/ice/properties.hpp"

#include <cstring>
#include <string_view>

#include <Ice/Ice.h>

namespace muster::ice {

result<config::property_map> load_properties(const std::vector<std::pair<std::string, std::string>>& command_line) {
  try {
    // Only the files' names are for Ice to read here: it takes no option whose prefix it does not know.
    Ice::StringSeq arguments{"muster"};
    for (const auto& [name, value] : command_line) {
      if (name == "Ice.Config") arguments.push_back("--Ice.Config=" + value);
    }
    const auto read = Ice::createProperties(arguments);
    for (const auto& [name, value] : command_line) read->setProperty(name, value);
    config::property_map all;
    for (auto& [name, value] : read->getPropertiesForPrefix("")) all.emplace(name, value);
    return all;
  } catch (const Ice::FileException& failed) {
    return fail(errc::invalid_argument, "the configuration file '{}' cannot be read: {}", failed.path,
                std::string_view{std::strerror(failed.error)});
  } catch (const Ice::Exception& failed) {
    return fail(errc::invalid_argument, "the configuration cannot be read: {}", failed.what());
  }
}

}  // namespace muster::ice

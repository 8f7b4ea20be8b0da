#include "muster/ice/properties.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <Ice/Ice.h>

namespace muster::ice {
namespace {

// Ice warns of names it does not know wherever properties are set. Those of the registry are checked by its own table,
// and the others come up again when the communicator is made: here, each would only be said twice.
class silent_logger final : public Ice::Logger {
 public:
  void print(const std::string& /*message*/) override {}
  void trace(const std::string& /*category*/, const std::string& /*message*/) override {}
  void warning(const std::string& /*message*/) override {}
  void error(const std::string& /*message*/) override {}
  std::string getPrefix() override { return {}; }
  Ice::LoggerPtr cloneWithPrefix(const std::string& /*prefix*/) override { return std::make_shared<silent_logger>(); }
};

class silence {
 public:
  silence() : before_{Ice::getProcessLogger()} { Ice::setProcessLogger(std::make_shared<silent_logger>()); }
  ~silence() { Ice::setProcessLogger(before_); }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;

 private:
  Ice::LoggerPtr before_;
};

}  // namespace

result<config::property_map> load_properties(const std::vector<std::pair<std::string, std::string>>& command_line) {
  const silence while_reading;
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

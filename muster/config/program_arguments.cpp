#include "muster/config/program_arguments.hpp"

#include <algorithm>

#include "muster/config/property_argument.hpp"

namespace muster::config {

result<std::vector<std::pair<std::string, std::string>>> parse_arguments(CLI::App& app, std::string_view program,
                                                                         std::span<const std::string> arguments,
                                                                         std::string_view otherwise) {
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<std::string> options;
  for (const std::string& argument : arguments) {
    if (auto property = as_property(argument)) {
      properties.push_back(std::move(*property));
    } else {
      options.push_back(argument);
    }
  }
  std::reverse(options.begin(), options.end());  // CLI11 takes them from the back
  try {
    app.parse(options);
    return properties;
  } catch (const CLI::ParseError& cause) {
    // CLI11's own words vary with its version; what matters is which argument it was.
    const std::vector<std::string> rest = app.remaining();
    if (rest.empty()) return fail(errc::invalid_argument, "{}; {} --help shows what is allowed", cause.what(), program);
    if (!rest.front().starts_with("-")) return fail(errc::invalid_argument, "{}: {}", rest.front(), otherwise);
    return fail(errc::invalid_argument, "{}: no such option; {} --help shows those there are", rest.front(), program);
  }
}

std::string help_text(CLI::App& app, std::string_view program, std::size_t column_width, std::string footer) {
  app.get_formatter()->column_width(column_width);
  constexpr std::string_view placeholder = "{program}";
  for (std::size_t at = footer.find(placeholder); at != std::string::npos; at = footer.find(placeholder, at)) {
    footer.replace(at, placeholder.size(), program);
  }
  return app.help() + footer;
}

}  // namespace muster::config

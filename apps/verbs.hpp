#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::apps {

/// A verb takes the arguments after its name and gives the process's exit code: 0, 1 when it could not be done, 2 when
/// it was not understood.
using arguments = std::vector<std::string>;

/// `program` is what the user typed, for messages: "muster registry" or "icegridregistry".
[[nodiscard]] int run_registry(std::string_view program, const arguments& given);
[[nodiscard]] int run_db(const arguments& given);
[[nodiscard]] int run_ping(const arguments& given);

/// One line on standard error: `program: error: sentence`.
void print_error(std::string_view program, std::string_view sentence);

}  // namespace muster::apps

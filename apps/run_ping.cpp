#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "apps/verbs.hpp"
#include "muster/ice/ping.hpp"
#include "muster/ice/properties.hpp"
#include "muster/os/clock.hpp"
#include "muster/os/locked_key.hpp"

namespace muster::apps {
namespace {

void print(const ice::ping_answer& answer) {
  if (answer.is_up) {
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(answer.round_trip).count();
    fmt::print("{}: up, {} ({} us)\n", answer.endpoint, answer.registry, micros);
  } else {
    fmt::print("{}: no answer: {}\n", answer.endpoint, answer.failure);
  }
}

}  // namespace

int run(const config::ping_replica& what) {
  const auto refuse = [](const error& cause) {
    print_error("muster ping", cause.message);
    return 1;
  };
  const auto properties = ice::load_properties(what.properties);
  if (!properties) return refuse(properties.error());
  if (const auto usable = os::check_locked_key(*properties); !usable) return refuse(usable.error());
  const auto answers = ice::ping_locator(what.locator, what.timeout, os::now, *properties);
  if (!answers) return refuse(answers.error());
  for (const auto& answer : *answers) print(answer);
  return std::ranges::all_of(*answers, &ice::ping_answer::is_up) ? 0 : 1;
}

}  // namespace muster::apps

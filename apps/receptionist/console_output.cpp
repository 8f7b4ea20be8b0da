#include "apps/receptionist/console_output.hpp"

#include <utility>

#include <fmt/format.h>

#include "muster/os/file.hpp"

namespace muster::apps {

result<std::shared_ptr<console_output>> console_output::open(const options& how) {
  std::shared_ptr<console_output> made{new console_output{how}};
  auto lines =
      os::line_writer::start({.fd = how.fd, .bytes_max = how.bytes_max, .on_broken = [of = made.get()](int cause) {
                                of->tell_broken(cause);
                              }});
  if (!lines) return fail(std::move(lines).error());
  made->lines_ = std::move(*lines);
  return made;
}

void console_output::attach(actor_ref<output_broken> who) {
  const std::lock_guard lock{mutex_};
  listener_ = std::move(who);
  if (broken_) listener_.tell(output_broken{*broken_});
}

bool console_output::write(const console_event& what, instant now) {
  return lines_->write(how_.writes_json ? to_json_line(what, now) : to_people_line(what, now, how_.style));
}

void console_output::tell_broken(int cause) {
  const std::lock_guard lock{mutex_};
  broken_ = fmt::format("the output cannot be written: {}", os::system_message(cause));
  listener_.tell(output_broken{*broken_});
}

}  // namespace muster::apps

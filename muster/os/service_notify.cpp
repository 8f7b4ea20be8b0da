#include "muster/os/service_notify.hpp"

#include <string>

#ifdef MUSTER_HAVE_SYSTEMD
#include <systemd/sd-daemon.h>
#endif

namespace muster::os {
namespace {

void tell(const std::string& state) {
#ifdef MUSTER_HAVE_SYSTEMD
  // A manager that does not listen is no trouble of the replica.
  (void)::sd_notify(0, state.c_str());
#else
  (void)state;
#endif
}

/// The protocol is one assignment a line.
std::string status_line(std::string_view status) {
  std::string out = "STATUS=";
  for (const char c : status) out += c == '\n' ? ' ' : c;
  return out;
}

}  // namespace

void notify_ready(std::string_view status) { tell("READY=1\n" + status_line(status)); }

void notify_status(std::string_view status) { tell(status_line(status)); }

void notify_stopping() { tell("STOPPING=1"); }

}  // namespace muster::os

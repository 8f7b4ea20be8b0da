#pragma once

#include <filesystem>
#include <string>

#include "muster/base/result.hpp"
#include "muster/os/file.hpp"

namespace muster::os {

struct daemon_options {
  std::string program{"muster"};   ///< who speaks, in messages of the daemon on its way
  std::filesystem::path pid_file;  ///< empty: none; relative to where the command was given
  bool keeps_descriptors{};        ///< --noclose
  bool keeps_directory{};          ///< --nochdir
};

/// The daemon's end of the link to the command that started it, which waits at the other end. While the link is open
/// the daemon still has the command's standard output and error, so that a failed start is seen where it was asked for.
class daemon_link {
 public:
  daemon_link(daemon_link&& other) noexcept;
  daemon_link& operator=(daemon_link&&) = delete;
  /// Removes the pid file. Before `ready`, the command ends with status 1 as the link closes.
  ~daemon_link();

  /// The replica serves: the command ends with status 0, and standard output and error lead nowhere from here on
  /// (unless descriptors are kept).
  void ready();

  /// The daemon ends without having been ready, and has said why on standard error: the command ends with status 1 and
  /// adds nothing.
  void has_told();

 private:
  friend result<daemon_link> daemonise(const daemon_options& options);
  daemon_link() = default;

  file_descriptor to_command_;
  std::filesystem::path pid_file_;
  bool keeps_descriptors_{};
};

/// Makes this process a daemon: a new session without a terminal, its working directory /, inherited descriptors
/// closed, as the options of icegridregistry say. Call it before any thread exists and before anything is opened.
///
/// Returns in the daemon only. The calling process stays until the daemon is ready (exit status 0) or has ended without
/// being so (1). An error is returned in the calling process.
[[nodiscard]] result<daemon_link> daemonise(const daemon_options& options);

}  // namespace muster::os

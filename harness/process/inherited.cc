// SPDX-License-Identifier: Apache-2.0

#include "harness/process/inherited.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace lockbench {

void restore_inherited_settings() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // open() returns the lowest free descriptor, which is this one.
    static_cast<void>(open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR));
  }
  std::signal(SIGCHLD, SIG_DFL);
}

}  // namespace lockbench

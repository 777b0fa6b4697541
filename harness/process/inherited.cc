// SPDX-License-Identifier: Apache-2.0

#include "harness/process/inherited.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace lockbench {

void restore_inherited_settings() {
  // open() returns the lowest free descriptor. While that is a standard one, a standard one was
  // closed.
  int fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd > STDERR_FILENO) close(fd);
  std::signal(SIGCHLD, SIG_DFL);
}

}  // namespace lockbench

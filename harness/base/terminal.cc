// SPDX-License-Identifier: Apache-2.0

#include "harness/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace lockbench {
std::size_t terminal_columns(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

}  // namespace lockbench

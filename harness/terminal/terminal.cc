// SPDX-License-Identifier: Apache-2.0

#include "harness/terminal/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lockbench {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::size_t terminal_columns(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

bool terminal_wants_colour(int fd) {
  return isatty(fd) && variable("NO_COLOR").empty() && !variable("TERM").empty() &&
         variable("TERM") != "dumb";
}

}  // namespace lockbench

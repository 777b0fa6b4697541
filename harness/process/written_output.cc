// SPDX-License-Identifier: Apache-2.0

#include "harness/process/written_output.h"

#include <cstdio>
#include <iostream>
#include <poll.h>
#include <unistd.h>

#include "harness/base/exit_code.h"

namespace lockbench {
namespace {

bool reader_closed(int descriptor) {
  pollfd pipe{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

// Libraries print by both.
bool all_written() {
  return std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace

int end_of_output(std::string_view who, int code) {
  if (all_written() || reader_closed(STDOUT_FILENO)) return code;
  std::cerr << who
            << ": standard output could not be written; free some space, or redirect it to a file "
               "that can be\n";
  return code == kSuccess ? kCouldNotFinish : code;
}

}  // namespace lockbench

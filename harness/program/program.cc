// SPDX-License-Identifier: Apache-2.0

#include "harness/program/program.h"

#include <iostream>
#include <poll.h>
#include <unistd.h>
#include <variant>

#include "harness/base/exit_code.h"
#include "harness/process/out_of_memory.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"
#include "harness/program/command_line.h"

namespace lockbench {
namespace {

int run(const Chosen& chosen) {
  explain_out_of_memory("lockbench " + chosen.command->text().name);
  return chosen.command->run(chosen.invocation);
}

// Whether the reader has closed the pipe, as in `lockbench list | head -1`. This is not an error.
bool reader_closed(int descriptor) {
  pollfd pipe{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

int answer(const Reply& reply) {
  std::cout << reply.out;
  std::cerr << reply.err;
  return reply.exit_code;
}

}  // namespace

int run_program(const Commands& commands, const std::vector<std::string>& words) {
  restore_inherited_settings();
  const std::variant<Chosen, Reply> read = read_command_line(commands, words);
  const Chosen* const chosen = std::get_if<Chosen>(&read);
  int code = chosen != nullptr ? run(*chosen) : answer(std::get<Reply>(read));
  // If a signal has requested an end, a failure after it is due to the signal.
  if (code != 0 && noted_signal() != 0) code = kSignalExitBase + noted_signal();
  if (std::cout.flush() || reader_closed(STDOUT_FILENO)) return code;
  std::cerr
      << "lockbench: standard output could not be written; free some space, or redirect it to a "
         "file that can be\n";
  return code == kSuccess ? kCouldNotFinish : code;
}

}  // namespace lockbench

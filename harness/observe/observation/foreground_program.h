// SPDX-License-Identifier: Apache-2.0

// ForegroundProgram: runs a user's program as if lockbench were not between it and its terminal.
//
// Guarantees   The program has this process's standard streams, process group, signal mask and
//              ignored signals. A signal from the terminal reaches it as it would alone. SIGTERM,
//              SIGHUP, SIGINT and SIGQUIT that another process sends to this one are passed on.
//              This process stays until the program has ended, whatever it does with a signal.
// Not offered  Ending processes that the program leaves behind; they may be what it is for. They
// are
//              children of this process until it ends.
// Requires     One thread; no handler for these signals.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

struct ForegroundOrder {
  std::vector<std::string> words;        // the first is searched for on the PATH
  std::vector<std::string> environment;  // NAME=VALUE, in addition to this process's own
  // Called when `first` has passed, and then each time that what it returned has passed, until the
  // program ends.
  std::chrono::nanoseconds first = std::chrono::seconds(1);
  std::function<std::chrono::nanoseconds()> look = {};
  // Called for the program, and for each process that it leaves behind, when it has ended and its
  // facts in /proc are still there.
  std::function<void(std::uint32_t process)> has_ended = {};
};

struct ForegroundEnd {
  std::uint32_t process = 0;  // its number
  int status = 0;             // as of waitpid()
  double wall_s = 0;
  // The processor time of the program, of the processes that it left behind and that ended before
  // it, and of those that one of these waited for.
  double processor_s = 0;
};

// Internal if no process could be created.
absl::StatusOr<ForegroundEnd> run_in_foreground(const ForegroundOrder& order);

// The code that a shell shows for such an end: its exit code, or 128 plus the signal.
int exit_code_of(int status);

}  // namespace lockbench

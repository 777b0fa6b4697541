// SPDX-License-Identifier: Apache-2.0

// ExitCode: what each command tells the shell. One table, with the same meaning in every command.
//
// A signal that the user sent ends a command with 128 and the signal's number: 129 SIGHUP,
// 130 SIGINT (Ctrl-C), 143 SIGTERM. docs/exit-codes.md has the table with examples.
#pragma once

namespace lockbench {

enum ExitCode : int {
  kSuccess = 0,         // done, and nothing is wrong
  kCouldNotFinish = 1,  // a file, a child process or a server failed
  kBadInput = 2,        // a flag, a name or a file is wrong; nothing was measured
  kFound = 3,           // the check is finished and found what it looks for: a broken lock,
                        // a deadlock, a regression, a disturbed machine
  kInconclusive = 4,    // the check ended without an answer
};

inline constexpr int kSignalExitBase = 128;

}  // namespace lockbench

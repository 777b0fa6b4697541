// SPDX-License-Identifier: Apache-2.0

// ChildProcess: runs a program in a process of its own, feeds it, and reads what it says.
//
// Guarantees   its $TMPDIR is a folder of its own, in this process's, where one can be made; and
//              however it ends, nothing that it or those of its group made there is left behind.
// Not offered  that where this process is killed, as by the second Ctrl-C: the folder stays.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

struct ChildOrder {
  std::filesystem::path program;
  std::vector<std::string> words;                  // the first is the name it goes by
  std::string input;                               // for its standard input
  std::chrono::steady_clock::time_point deadline;  // then it is killed
  // Called now and then with what it has printed so far; may be empty.
  std::function<void(std::string_view out)> while_it_runs = {};
};

enum class ChildEnding { kEnded, kTooLong, kInterrupted };

struct ChildResult {
  ChildEnding ending = ChildEnding::kEnded;
  int status = 0;  // as of waitpid()
  std::string out;
  std::string err;
};

// Runs it to its end, to the deadline, or until a signal is noted (signals.h); in the latter cases
// it has been killed, with all of its process group, and what they had printed is in the result.
// Fails with Internal when no process could be made. Requires SIGPIPE ignored.
absl::StatusOr<ChildResult> run_child(const ChildOrder& order);

// "the trial's process was ended by signal 11 (Segmentation fault): last line that it said", or by
// its exit code; `who` is "the trial's process".
std::string told_end(const std::string& who, const ChildResult& result);

}  // namespace lockbench

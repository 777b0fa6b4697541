// SPDX-License-Identifier: Apache-2.0

// ChildProcess: runs a program in a process of its own, feeds it, and reads what it prints.
//
// Guarantees   run_child() returns soon after the child ended, its deadline passed, a signal was
//              noted or it printed too much, whatever the child does: close its outputs, ignore
//              signals, leave its process group, start others. Neither it nor a process that it
//              started outlives the call. Memory is bounded by the limits below. Its $TMPDIR is a
//              folder of its own, in this process's, where one can be made, and is removed.
// Not offered  an end to a process that the kernel cannot end (one that waits for a dead disk);
//              removal of the folder where this process is killed: a later one removes it.
// Requires     SIGPIPE ignored where there is input; one call at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// Far more than any child of lockbench prints. Of standard output, more ends the child; of standard
// error, the rest is dropped.
inline constexpr std::size_t kMostOutBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMostErrBytes = std::size_t{64} << 10;

enum class ChildStreams {
  kPipes,   // its input is given, its outputs are read; it has a process group of its own
  kShared,  // this process's, and its group: Ctrl-C on the terminal reaches the child, too
};

struct ChildOrder {
  std::filesystem::path program;                   // without a slash: looked for on the PATH
  std::vector<std::string> words;                  // the first is the name it goes by
  std::string input;                               // for its standard input
  std::chrono::steady_clock::time_point deadline;  // then it is killed
  // Called now and then with what it has printed so far; may be empty.
  std::function<void(std::string_view out)> while_it_runs = {};
  ChildStreams streams = ChildStreams::kPipes;
};

enum class ChildEnding {
  kEnded,        // by itself
  kTooLong,      // killed at its deadline
  kTooMuch,      // killed after kMostOutBytes
  kInterrupted,  // killed because a signal was noted
};

struct ChildResult {
  ChildEnding ending = ChildEnding::kEnded;
  int status = 0;              // as of waitpid()
  std::string out;             // at most kMostOutBytes; nothing of shared streams, as in err
  std::string err;             // its first kMostErrBytes
  std::string last_line;       // of standard error, clipped (StreamRecord)
  bool out_of_memory = false;  // killed by the kernel for that
};

// Runs it to its end, to the deadline, until it has printed too much, or until a signal is noted
// (signals.h). Fails with Internal when no process could be made.
absl::StatusOr<ChildResult> run_child(const ChildOrder& order);

// "the trial's process was ended by signal 11 (Segmentation fault): last line of its standard
// error", or by its exit code; `who` is "the trial's process".
std::string told_end(const std::string& who, const ChildResult& result);

}  // namespace lockbench

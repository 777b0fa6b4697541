// SPDX-License-Identifier: Apache-2.0

// ChildProcess: runs a program in a process of its own, sends it input, and reads what it prints.
//
// Guarantees   run_child() returns soon after the child has ended, its deadline has passed, a
//              signal was noted or it has printed too much, even if the child closes its outputs,
//              ignores signals, leaves its process group or starts other processes. Neither the
//              child nor a process that it started outlives the call. Memory is bounded by the
//              limits below. Its $TMPDIR is a folder of its own in this process's folder for
//              temporary files, if one can be created, and is removed afterwards.
// Not offered  Ending a process that the kernel cannot end (one that waits for a dead disk).
//              Removing the folder if this process is killed: a later process removes it.
// Requires     SIGPIPE is ignored if there is input; one call at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// Far more than any child of lockbench prints. If a child prints more to standard output, it is
// killed. The rest of standard error is dropped.
inline constexpr std::size_t kMostOutBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMostErrBytes = std::size_t{64} << 10;

enum class ChildStreams {
  kPipes,   // its input is sent and its outputs are read; it has a process group of its own
  kShared,  // this process's streams and group: Ctrl-C on the terminal reaches the child, too
};

struct ChildOrder {
  std::filesystem::path program;                   // without a slash: searched for on the PATH
  std::vector<std::string> words;                  // the first is its argv[0]
  std::string input;                               // for its standard input
  std::chrono::steady_clock::time_point deadline;  // the child is killed then
  // Called from time to time with what it has printed so far; may be empty.
  std::function<void(std::string_view out)> while_it_runs = {};
  ChildStreams streams = ChildStreams::kPipes;
  std::vector<std::string> environment = {};  // NAME=VALUE, in addition to this process's own
  bool may_print_more = false;  // than kMostOutBytes: the rest is dropped, and the child goes on
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
  std::string out;             // at most kMostOutBytes; empty if streams are shared, as is err
  std::string err;             // its first kMostErrBytes
  std::string last_line;       // of standard error, clipped (StreamRecord)
  bool out_of_memory = false;  // the kernel killed it because memory ran out
};

// Runs the child until it ends, the deadline passes, it has printed too much, or a signal is noted
// (signals.h). Fails with Internal if no process could be created.
absl::StatusOr<ChildResult> run_child(const ChildOrder& order);

// "the trial's process was ended by signal 11 (Segmentation fault): last line of its standard
// error", or the same with its exit code. `who` is "the trial's process".
std::string end_text(const std::string& who, const ChildResult& result);

// The first line that the child wrote to standard error, without `prefix`, with which each
// complaint of lockbench begins: "lockbench trial: ". Absent if it does not begin so: the line is
// then somebody else's.
std::optional<std::string> complaint_of(const ChildResult& result, std::string_view prefix);

}  // namespace lockbench

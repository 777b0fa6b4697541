// SPDX-License-Identifier: Apache-2.0

// ProcessLife: what the process's record says of its begin, its copies and its end.
#pragma once

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/mapped_recording.h"

namespace lockbench::observe {

namespace internal {
Process* record_of_unknown_copy();
}

// This process's record, or nullptr if it has none. A copy of a process that no handler of the C
// library knows of gets its record here.
inline Process* this_process() {
  Process* const process = MappedRecording::area().process.load(kRelaxed);
  if (process != nullptr) [[likely]]
    return process;
  return internal::record_of_unknown_copy();
}

// `path`: of the recording. Call it once, before another thread runs.
void begin_recording(const char* path);

// In the child of a fork: the record of the parent is not this process's.
void begin_in_child();

// The process ends now.
void process_ends();

// `program` is about to take this process's place, or to run in the process `pid` (0: this one).
// `has_variable`: its environment has the variable of the recording.
void program_starts(unsigned pid, const char* program, bool has_variable);
void program_did_not_start();

// True if the process is observed, and may make system calls that it does not make itself.
inline bool makes_calls() {
  return MappedRecording::header() != nullptr && !MappedRecording::is_filtered();
}

// The process restricts its system calls from now on: it may make only those that it makes itself.
void filter_begins();

// The process may not even read the time any more.
void strict_mode_begins();

}  // namespace lockbench::observe

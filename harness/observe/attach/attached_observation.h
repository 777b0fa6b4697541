// SPDX-License-Identifier: Apache-2.0

// AttachedObservation: what a running process did with its locks, from its waits in the kernel.
// Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/observe/attach/futex_trace.h"
#include "harness/observe/observation/observation.h"

namespace lockbench {

// The facts that /proc has about the process.
struct AttachedProcess {
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  std::string program;
  std::uint32_t threads = 0;  // at the end
  double processor_s = 0;     // in the window
  // Threads that slept at a look soon after the window began. Their waits may have begun before it.
  std::vector<FutexStack> asleep;
  std::uint64_t asleep_at_ns = 0;
  std::vector<std::string> runtimes;  // as of Coverage
};

// The calls on a stack, innermost first; one whose function is not known has its file and offset.
using CallersOf = std::function<std::vector<CodeLocation>(const stress::StackCopy&)>;

// `callers`: that make up a place; 0: one.
Observation attached_observation(const FutexTrace& trace, const AttachedProcess& process,
                                 const CallersOf& callers_of, std::uint32_t callers);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// Processors: which processors a thread may run on, by the kernel's numbers.
//
// Guarantees   Works with any number of possible processors: the sets grow until the kernel's sets
//              fit. If a seccomp filter refuses sched_getaffinity, the answer comes from /proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "harness/base/processor_list.h"

namespace lockbench {

// A set of processors in the form that the kernel takes.
class ProcessorMask {
 public:
  explicit ProcessorMask(const std::vector<int>& processors);

  std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }
  const cpu_set_t* get() const { return reinterpret_cast<const cpu_set_t*>(words_.data()); }

 private:
  std::vector<unsigned long> words_;
};

// Numbers of the processors that the calling thread may run on, ascending; empty if the kernel does
// not report them.
std::vector<int> allowed_processor_numbers();

// How many of them there are; at least 1.
std::uint32_t usable_processors();

// Binds a thread (0: the calling one) to these processors. Returns 0, or the number of the error.
int bind_to_processors(pid_t task, const std::vector<int>& processors);

// The call by which threads are bound, sched_getaffinity or sched_setaffinity, that the kernel
// refuses to this process, with the reason; empty if it refuses neither.
std::string refused_affinity_call();

namespace internal {

// Writes what sched_getaffinity writes into a set of that many bytes. Returns 0, or the number of
// the error.
using AskProcessors = std::function<int(std::size_t bytes, cpu_set_t* set)>;

// Writes the processors of a kernel, which refuses sets that are too small with EINVAL. Returns 0,
// or the number of the error of its last answer.
int ask_processors(const AskProcessors& kernel, std::vector<int>& numbers);

// The processors in Cpus_allowed_list of /proc/<task>/status; empty if it is missing.
std::vector<int> processors_in_status(std::string_view status);

}  // namespace internal

}  // namespace lockbench

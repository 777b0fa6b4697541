// SPDX-License-Identifier: Apache-2.0

// ProcessorUse: what some processors did during a time, in the clock ticks of /proc/stat.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockbench {

struct ProcessorUse {
  std::uint64_t all = 0;     // ticks of all these processors together
  std::uint64_t busy = 0;    // ticks in which something ran
  std::uint64_t stolen = 0;  // ticks in which something was runnable but the host did not run it

  bool operator==(const ProcessorUse&) const = default;

  // Since the machine started. Absent if the kernel does not report it.
  static std::optional<ProcessorUse> now(const std::vector<int>& processors);
};

// The length of a tick: each processor has a hundred a second, so times are no more precise than
// this.
inline constexpr double kTickS = 0.01;

// The difference between an earlier and a later reading. A count that decreased, which some kernels
// allow, is 0.
ProcessorUse use_between(const ProcessorUse& before, const ProcessorUse& after);

// The use of these processors while this thread sleeps: their use by other threads and processes.
// Absent if the kernel does not report it.
std::optional<ProcessorUse> watch_processors(const std::vector<int>& processors,
                                             std::chrono::milliseconds time);

namespace internal {

// Parses the contents of /proc/stat: what these processors did since the machine started.
ProcessorUse use_since_boot(std::string_view proc_stat, const std::vector<int>& processors);

}  // namespace internal

}  // namespace lockbench

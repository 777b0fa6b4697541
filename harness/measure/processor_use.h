// SPDX-License-Identifier: Apache-2.0

// ProcessorUse: what some processors did for a while, in the clock ticks of /proc/stat.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockbench {

struct ProcessorUse {
  std::uint64_t all = 0;     // ticks that passed, of all these processors together
  std::uint64_t busy = 0;    // in which something ran
  std::uint64_t stolen = 0;  // in which something would have run, had the host let it

  bool operator==(const ProcessorUse&) const = default;

  // Since the machine started. Absent if the kernel does not tell.
  static std::optional<ProcessorUse> now(const std::vector<int>& processors);
};

// A hundred ticks a second pass on each processor, which is how finely time can be told.
inline constexpr double kTickS = 0.01;

// Numbers of the processors that this process may run on, ascending; empty if the kernel does not
// tell.
std::vector<int> allowed_processor_numbers();

// From one reading to a later one. A count that went backwards, as the kernel lets some, counts as
// none.
ProcessorUse use_between(const ProcessorUse& before, const ProcessorUse& after);

// What these processors do while this thread sleeps: what others do. Absent if the kernel does not
// tell.
std::optional<ProcessorUse> watch_processors(const std::vector<int>& processors,
                                             std::chrono::milliseconds time);

namespace internal {

// Since the machine started, of these processors, as `proc_stat` has it.
ProcessorUse use_since_boot(std::string_view proc_stat, const std::vector<int>& processors);

}  // namespace internal

}  // namespace lockbench

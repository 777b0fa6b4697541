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
};

// Numbers of the processors that this process may run on, ascending; empty if the kernel does not
// tell.
std::vector<int> allowed_processor_numbers();

// What these processors do while this thread sleeps: what others do. Absent if the kernel does not
// tell. A hundred ticks a second and processor pass, which is how finely it can be told.
std::optional<ProcessorUse> watch_processors(const std::vector<int>& processors,
                                             std::chrono::milliseconds time);

namespace internal {

// Since boot, of these processors, as `proc_stat` has it.
ProcessorUse use_since_boot(std::string_view proc_stat, const std::vector<int>& processors);

// A count that went backwards, as the kernel lets some, counts as none.
ProcessorUse use_between(const ProcessorUse& before, const ProcessorUse& after);

}  // namespace internal

}  // namespace lockbench

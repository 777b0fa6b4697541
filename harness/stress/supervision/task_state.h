// SPDX-License-Identifier: Apache-2.0

// TaskState: whether the kernel's scheduler, and not the lock, keeps a thread from going on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lockbench::stress {

struct TaskState {
  bool runnable = false;  // runs, or would if it were given a processor
  // The kernel works for it, on a disk perhaps, or somebody stopped it: no lock is to blame.
  bool held_up = false;
  std::uint64_t cpu_ticks = 0;  // spent so far, 10 ms each

  bool operator==(const TaskState&) const = default;
};

// From the text of /proc/<process>/task/<task>/stat; absent when it is none.
std::optional<TaskState> task_state_from(std::string_view stat);

// Absent when there is no such thread any more.
std::optional<TaskState> task_state(pid_t process, pid_t task);

std::vector<pid_t> tasks_of(pid_t process);

// How long this thread has waited for a processor so far, in nanoseconds; 0 where the kernel does
// not tell.
std::uint64_t own_delay_ns();

}  // namespace lockbench::stress

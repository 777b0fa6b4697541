// SPDX-License-Identifier: Apache-2.0

// TaskState: whether the kernel's scheduler, and not the lock, keeps a thread from making progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lockbench::stress {

struct TaskState {
  bool runnable = false;  // runs, or waits only for a processor
  // The kernel works for the thread, for example on a disk access, or the thread was stopped: the
  // lock is not the cause.
  bool held_up = false;
  std::uint64_t cpu_ticks = 0;  // CPU time used so far, in ticks of 10 ms

  bool operator==(const TaskState&) const = default;
};

// Parses the text of /proc/<process>/task/<task>/stat. Absent if the text does not have this form.
std::optional<TaskState> task_state_from(std::string_view stat);

// Absent if the thread does not exist any more.
std::optional<TaskState> task_state(pid_t process, pid_t task);

std::vector<pid_t> tasks_of(pid_t process);

// How long this thread has waited for a processor so far, in nanoseconds. 0 if the kernel does not
// report it.
std::uint64_t own_delay_ns();

// What the scheduler has given a thread so far. All 0 if the kernel does not report it.
struct Scheduling {
  std::uint64_t cpu_ns = 0;
  std::uint64_t delay_ns = 0;  // runnable without a processor
  std::uint64_t turns = 0;     // how often it got a processor

  bool operator==(const Scheduling&) const = default;
};

// Of a thread of this process. Of a thread that calls sched_yield() over and over the delay is
// nearly all of the time, though it runs often: the number of its turns tells.
Scheduling scheduling_of(pid_t task);

}  // namespace lockbench::stress

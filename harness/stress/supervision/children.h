// SPDX-License-Identifier: Apache-2.0

// Children: processes that do something at a lock, and what can be done to them.
#pragma once

#include <functional>
#include <optional>
#include <sys/types.h>

namespace lockbench::stress {

// Runs `work()` in a child process, which dies with this one, and ends that with 0. Aborts when
// there is no process to be had.
pid_t start_child(const std::function<void()>& work);

// Returns when it is dead, and not collected: its number is still its own.
void kill_child(pid_t child);

// Returns when it has stopped, or ended.
void stop_child(pid_t child);

// Waits for its end, and lets go of its number.
void collect_child(pid_t child);

// A process of that number which does nothing. Absent where the kernel does not permit that, or the
// number is taken.
std::optional<pid_t> start_unrelated_process(pid_t number);

// Whether the kernel lets this process choose the number of a new one.
bool can_recycle_numbers();

// Whether a process that begins from now on can be told from this one though it has its number: by
// the clock tick in which it begins. By themselves numbers do not come round within one. The kernel
// is asked when the process began, which on a busy machine is long after it was meant to.
bool began_in_an_earlier_tick(pid_t process);

}  // namespace lockbench::stress

// SPDX-License-Identifier: Apache-2.0

// Children: starts child processes that use a lock, and stops, kills or collects them.
#pragma once

#include <functional>
#include <optional>
#include <sys/types.h>

namespace lockbench::stress {

// The machine refuses another process, which is no fault of a lock: says so and ends this one, as
// an engine that could not finish does. `errno` says why.
[[noreturn]] void end_without_process();

// Runs `work()` in a child process that then exits with 0. The child is killed if this process
// dies. Does not return if no process can be created: end_without_process().
pid_t start_child(const std::function<void()>& work);

// The same for a caller that can do without it: absent if no process can be created.
std::optional<pid_t> start_child_if_possible(const std::function<void()>& work);

// Returns when the child is dead but not collected, so no other process can have its number.
void kill_child(pid_t child);

// Returns when the child has stopped or ended.
void stop_child(pid_t child);

// Waits until the child has ended and collects it. Its number may then be reused.
void collect_child(pid_t child);

// Starts a process with this number that does nothing. Absent if the kernel does not permit that or
// if the number is in use.
std::optional<pid_t> start_unrelated_process(pid_t number);

// True if the kernel lets this process choose the number of a new process.
bool can_recycle_numbers();

// True if a process that begins from now on and gets the number of `process` can be distinguished
// from it by the clock tick in which it begins. Without intervention the kernel does not reuse a
// number within one tick. The start time comes from the kernel, because on a busy machine a process
// may begin much later than intended.
bool began_in_an_earlier_tick(pid_t process);

}  // namespace lockbench::stress

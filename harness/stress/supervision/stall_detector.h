// SPDX-License-Identifier: Apache-2.0

// StallDetector: distinguishes threads that cannot make progress from threads that get no
// processor.
//
// Threads are stalled if for the whole patience the progress number of none of them changed, and
// each of them slept or ran on a processor for some time. These threads are not stalled: slow
// threads, threads that wait for a processor behind other programs, threads of low priority,
// stopped threads, and threads for which the kernel waits for a disk. If the detector itself was
// not called for a while because everything was stopped (Ctrl-Z), only a small part of that time
// counts. `tasks` must include the threads that the lock started itself, because a watched thread
// may wait for such a thread while that one gets no processor.
//
// TaskState: whether the kernel's scheduler, and not the lock, keeps a thread from making progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
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

// The scheduler's figures of a thread so far. All 0 if the kernel does not report them.
struct Scheduling {
  std::uint64_t cpu_ns = 0;
  std::uint64_t delay_ns = 0;  // runnable without a processor
  std::uint64_t turns = 0;     // how often it got a processor

  bool operator==(const Scheduling&) const = default;
};

// The figures of a thread of this process. If a thread calls sched_yield() over and over, the delay
// is nearly all of the time, though it runs often: the number of its turns tells.
Scheduling scheduling_of(pid_t task);

// The usual patience with a call of a lock: longer than any lock here sleeps between two polls.
inline constexpr std::chrono::milliseconds kPatienceForACall{500};

class StallDetector {
 public:
  using Clock = std::chrono::steady_clock;

  // A thread that is not held up finishes any single action of an epoch in 20 ms of CPU time.
  static constexpr std::uint64_t kTicksEnough = 2;

  // `ticks`: how long each thread that is runnable must have run, in ticks of 10 ms.
  explicit StallDetector(Clock::duration patience = kPatienceForACall,
                         std::uint64_t ticks = kTicksEnough)
      : patience_(patience), ticks_(ticks) {}

  // Call it repeatedly. `progress` is any number that changes when one of the threads makes
  // progress. Returns true from the second call on that finds all threads stalled: while the first
  // call reads one thread after the other, a thread that it has not read yet may wake one that it
  // found asleep, and end. Between the two, the calling thread runs on each of its processors once:
  // one that the host took away may have timers to handle.
  bool reached(std::uint64_t progress, pid_t process, const std::vector<pid_t>& tasks,
               Clock::time_point now = Clock::now());

 private:
  void begin(std::uint64_t progress, pid_t process, const std::vector<pid_t>& tasks,
             Clock::time_point now);
  // A thread may begin later than the watch, without progress.
  void note_first(pid_t process, const std::vector<pid_t>& tasks);
  bool each_had_its_chance(pid_t process, const std::vector<pid_t>& tasks) const;

  const Clock::duration patience_;
  const std::uint64_t ticks_;
  bool begun_ = false;
  bool seen_once_ = false;
  std::uint64_t progress_ = 0;
  Clock::time_point checked_at_;
  Clock::duration watched_{};
  std::map<pid_t, TaskState> then_;  // when each of them was first seen
};

}  // namespace lockbench::stress

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
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "harness/stress/supervision/task_state.h"

namespace lockbench::stress {

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

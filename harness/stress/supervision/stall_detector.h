// SPDX-License-Identifier: Apache-2.0

// StallDetector: tells threads that cannot go on from threads that are not let.
//
// Threads stand still when for the whole of a patience nothing was told by any of them, and each of
// them slept or had a processor for a while. Merely slow ones, ones behind other programs, ones of
// low priority, ones that were stopped and ones for which the kernel waits for a disk do not; and
// of a time in which nobody looked, since all was stopped (Ctrl-Z), only a little counts. Threads
// that the lock started for itself are to be asked, too: those that are watched may wait for one
// that is not let.
#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "harness/stress/supervision/task_state.h"

namespace lockbench::stress {

class StallDetector {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StallDetector(Clock::duration patience) : patience_(patience) {}

  // Call it again and again. `told` is any number that changes when one of the threads goes on.
  // True from the second look on that finds all as above: between two lines of the first, a thread
  // not yet looked at may wake one that was found asleep, and end.
  bool reached(std::uint64_t told, pid_t process, const std::vector<pid_t>& tasks,
               Clock::time_point now = Clock::now());

 private:
  void begin(std::uint64_t told, pid_t process, const std::vector<pid_t>& tasks,
             Clock::time_point now);
  bool each_had_its_chance(pid_t process, const std::vector<pid_t>& tasks) const;

  const Clock::duration patience_;
  bool begun_ = false;
  bool seen_once_ = false;
  std::uint64_t told_ = 0;
  Clock::time_point looked_at_;
  Clock::duration watched_{};
  std::map<pid_t, TaskState> then_;
};

}  // namespace lockbench::stress

// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/supervision/stall_detector.h"

#include <algorithm>
#include <utility>

#include "harness/kernel/processors.h"

namespace lockbench::stress {
namespace {

// Calls are a few milliseconds apart. If a call comes late, the caller may have been stopped
// together with all other threads.
constexpr std::chrono::milliseconds kMostBetweenChecks{50};

// Runs for a moment on each processor that this thread may use. A host may have taken a processor
// away for longer than the patience; a thread whose sleep ended meanwhile still looks asleep. Once
// this thread has run there, that processor has handled its timers.
void visit_processors() {
  const std::vector<int> usable = allowed_processor_numbers();
  for (const int processor : usable) bind_to_processors(0, {processor});
  if (!usable.empty()) bind_to_processors(0, usable);
}

}  // namespace

bool StallDetector::reached(std::uint64_t progress, pid_t process, const std::vector<pid_t>& tasks,
                            Clock::time_point now) {
  if (!begun_ || progress != progress_) {
    begin(progress, process, tasks, now);
    return false;
  }
  note_first(process, tasks);
  watched_ += std::min<Clock::duration>(now - checked_at_, kMostBetweenChecks);
  checked_at_ = now;
  const bool still = watched_ >= patience_ && each_had_its_chance(process, tasks);
  if (still && !seen_once_) visit_processors();
  return std::exchange(seen_once_, still) && still;
}

void StallDetector::begin(std::uint64_t progress, pid_t process, const std::vector<pid_t>& tasks,
                          Clock::time_point now) {
  begun_ = true;
  seen_once_ = false;
  progress_ = progress;
  checked_at_ = now;
  watched_ = {};
  then_.clear();
  note_first(process, tasks);
}

void StallDetector::note_first(pid_t process, const std::vector<pid_t>& tasks) {
  for (const pid_t task : tasks) {
    if (then_.contains(task)) continue;
    if (const auto state = task_state(process, task)) then_[task] = *state;
  }
}

bool StallDetector::each_had_its_chance(pid_t process, const std::vector<pid_t>& tasks) const {
  return std::all_of(tasks.begin(), tasks.end(), [&](pid_t task) {
    const auto now = task_state(process, task);
    const auto then = then_.find(task);
    if (now && now->held_up) return false;
    if (!now || !now->runnable) return true;
    return then != then_.end() && now->cpu_ticks >= then->second.cpu_ticks + ticks_;
  });
}

}  // namespace lockbench::stress

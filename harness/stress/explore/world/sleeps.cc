// SPDX-License-Identifier: Apache-2.0

// The calls of the program that sleep, wake others up, read the clock or pause.

#include <algorithm>
#include <cstddef>

#include "harness/stress/explore/world/world.h"

namespace lockbench::stress::explore {
namespace {

constexpr char kTimePasses[] = "it depends on when time passes";

}  // namespace

// Reads the value that the kernel compares before it lets the running thread sleep.
std::uint64_t World::load_to_sleep(const void* word) {
  if (memory_.weak()) {
    memory_.queue_fence(running_, word, kQueues + memory_.number_of(word));
    return load_any(word, 4, std::memory_order_relaxed, true);
  }
  memory_.flush(running_);
  return memory_.load(running_, word, 4, std::memory_order_relaxed);
}

World::WaitEnd World::wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns,
                           WakeChannels channels, bool names_signals) {
  const UntrackedScope untracked(*this);
  point(word);
  note_flushes(running_);
  const std::uint64_t seen = load_to_sleep(word);
  const bool sleeps = seen == expected && deadline_ns > clock_.now_ns();
  note_access(sleeps ? Access::kSleep : Access::kAwake, word, 4, seen, expected);
  check_life(word);
  if (seen != expected) return WaitEnd::kChanged;
  if (!sleeps) return WaitEnd::kTimedOut;
  // It may return at once: because of a signal or, more seldom, without reason.
  if (fails_spuriously()) {
    const bool interrupted = names_signals && !fails_spuriously();
    note_access(interrupted ? Access::kInterrupted : Access::kWoken, word, 4, 0, 0);
    return interrupted ? WaitEnd::kInterrupted : WaitEnd::kWoken;
  }
  if (deadline_ns != SimulatedClock::kNever) cannot_follow(kTimePasses);
  memory_.note(running_, kQueues + memory_.number_of(word), true);
  const bool woken = fall_asleep(
      {.thread = running_, .word = word, .channels = channels, .deadline_ns = deadline_ns});
  note_access(woken ? Access::kWoken : Access::kTimedOut, word, 4, 0, 0);
  return woken ? WaitEnd::kWoken : WaitEnd::kTimedOut;
}

// No thread sleeps on a word that does not exist or that no thread has accessed. With the other
// memory models, the thread's stores have left its buffer, and that is all.
void World::fence_of_wake_up(const void* word) {
  if (!memory_.weak()) return;
  if (!memory_.knows(word)) return memory_.fence(running_, std::memory_order_seq_cst);
  memory_.queue_fence(running_, word, kQueues + memory_.number_of(word));
}

int World::wake(const void* word, int count, WakeChannels channels) {
  const UntrackedScope untracked(*this);
  point();
  note_flushes(running_);
  memory_.flush(running_);
  fence_of_wake_up(word);
  if (following() && threads_.size() != 1) {
    const NextAccess next{
        .step = execution_.steps, .thread = running_, .word = word, .queues = true};
    choose_as_told(next, {});
  }
  const int woken = sleepers_.count_on(word, channels, count);
  note_access(Access::kWake, word, 4, 0, static_cast<std::uint64_t>(woken));
  wake_first(word, woken, channels);
  return woken;
}

void World::wake_first(const void* word, int count, WakeChannels channels) {
  for (; count > 0; --count) {
    const std::uint32_t first = *sleepers_.first_on(word, channels);
    // The word exists, because a thread sleeps on it.
    memory_.note(running_, kQueues + memory_.number_of(word), true);
    wake_up(first);
    memory_.note(first, kQueues + memory_.number_of(word), true);
    if (follower_ != nullptr) follower_->comes_after(first, running_);
  }
}

// The threads that are moved stay asleep and keep their order.
int World::requeue(const void* from, const void* to, int wakes, int moves,
                   std::optional<std::uint32_t> expected, WakeChannels channels) {
  const UntrackedScope untracked(*this);
  cannot_follow("it moves sleepers from one word to another");
  point(from);
  note_flushes(running_);
  memory_.flush(running_);
  fence_of_wake_up(from);
  if (expected && memory_.peek(from, 4) != *expected) return -1;
  const int woken = sleepers_.count_on(from, channels, wakes);
  note_access(Access::kWake, from, 4, 0, static_cast<std::uint64_t>(woken));
  wake_first(from, woken, channels);
  const int moved = sleepers_.count_on(from, channels, moves);
  for (int i = 0; i < moved; ++i) {
    const std::uint32_t first = *sleepers_.first_on(from, channels);
    sleepers_.move(first, to);
    memory_.note(running_, kQueues + memory_.number_of(to), true);
    memory_.note(first, kQueues + memory_.number_of(to), true);
  }
  return woken + moved;
}

std::int64_t World::now() {
  const UntrackedScope untracked(*this);
  if (!is_last()) cannot_follow("it reads a clock");
  point();
  memory_.note(running_, kClock, false);
  return clock_.read(running_);
}

bool World::is_last() const {
  return std::all_of(threads_.begin(), threads_.end(), [&](const ThreadState& thread) {
    return thread.state == State::kEnded || &thread == &threads_[running_];
  });
}

void World::sleep_until(std::int64_t deadline_ns) {
  const UntrackedScope untracked(*this);
  // In the end, when only the first thread is left, time passes in one way alone.
  if (!is_last()) cannot_follow(kTimePasses);
  point();
  if (deadline_ns <= clock_.now_ns()) return;
  fall_asleep({.thread = running_, .deadline_ns = deadline_ns});
}

void World::pause() {
  const UntrackedScope untracked(*this);
  if (strategy_->restless()) return;
  // Thread 0 alone runs now, and looks at the state. Its try may look again before it returns.
  if (stuck_) return count_step();
  wait_for_change();
}

}  // namespace lockbench::stress::explore

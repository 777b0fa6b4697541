// SPDX-License-Identifier: Apache-2.0

// What the program does in its world: each access, once it has been decided who goes on.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/stress/explore/world.h"

namespace lockbench::stress::explore {

bool World::settle() {
  if (!memory_.others_buffer(running_)) return true;
  const UntrackedScope untracked(*this);
  point(&kAnyWord);
  return !memory_.others_buffer(running_);
}

void World::check_life() {
  if (memory_.dead_word()) leave(End::kFailed);
}

void World::born(const void* word) {
  const UntrackedScope untracked(*this);
  memory_.born(running_, word);
}

void World::gone(const void* word) {
  const UntrackedScope untracked(*this);
  note_access(Access::kGone, word, 0, 0, 0);
  memory_.gone(running_, word);
}

std::uint64_t World::load(const void* word, unsigned bytes, std::memory_order order) {
  const UntrackedScope untracked(*this);
  check_null(word);
  point(word);
  const std::uint64_t bits = memory_.load(running_, word, bytes, order);
  note_access(Access::kLoad, word, bytes, bits, bits, order);
  check_life();
  look(true);
  return bits;
}

void World::store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order) {
  const UntrackedScope untracked(*this);
  check_null(word);
  ++accesses_;
  memory_.keeps_back(order) ? count_step() : point(word);
  if (log_.on()) {
    const bool buffered = memory_.keeps_back(order) && threads_.size() != 1;
    if (!buffered) note_flushes(running_);
    note_access(buffered ? Access::kBufferedStore : Access::kStore, word, bytes,
                memory_.peek(word, bytes), bits, order);
  }
  memory_.store(running_, word, bytes, bits, order);
  if (threads_.size() == 1) memory_.flush(running_);  // nobody can tell
  check_life();
}

std::uint64_t World::begin_update(const void* word, unsigned bytes) {
  untracked_ = true;  // until end_update()
  check_null(word);
  point(word);
  note_flushes(running_);
  updated_from_ = memory_.begin_update(running_, word, bytes);
  return updated_from_;
}

void World::end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                       std::memory_order order) {
  const std::uint64_t changes = memory_.changes();
  memory_.end_update(running_, word, bytes, bits, writes, order);
  note_access(writes ? Access::kUpdate : Access::kCompared, word, bytes, updated_from_,
              writes ? bits : updated_from_, order);
  check_life();
  look(changes == memory_.changes());
  untracked_ = false;
}

// Whether what the running thread does next, and may do without a reason, happens so.
bool World::fails_spuriously() {
  if (threads_.size() == 1 || spurious_ == kMostSpurious || stuck_) return false;
  const Option options[] = {{Option::kRun, static_cast<std::uint8_t>(running_)},
                            {Option::kSpurious, static_cast<std::uint8_t>(running_)}};
  const std::size_t chosen = strategy_->choose({.step = execution_.steps,
                                                .state = memory_.state(),
                                                .running = running_,
                                                .may_go_on = true,
                                                .all_paused = false,
                                                .options = options});
  if (chosen == Strategy::kLeave) leave(End::kLeft);
  execution_.schedule.push_back(options[chosen]);
  // Both outcomes are events: else two states that differ would look like one.
  memory_.note(running_, kLuck + chosen, false);
  spurious_ += static_cast<std::uint32_t>(chosen);
  return chosen != 0;
}

void World::fence(std::memory_order order) {
  const UntrackedScope untracked(*this);
  const bool empties = order == std::memory_order_seq_cst && memory_.buffered(running_);
  empties ? point() : count_step();
  if (empties) note_flushes(running_);
  memory_.fence(running_, order);
  note_access(Access::kFence, nullptr, 0, 0, 0, order);
}

void World::fence_all() {
  const UntrackedScope untracked(*this);
  point(&kLatestStores);
  memory_.fence_all(running_);
  note_access(Access::kFenceAll, nullptr, 0, 0, 0);
  asymmetric_ = true;
}

// Variables with static storage are left out: the library orders their initialisation, unseen. So
// is all that follows a barrier that one thread imposes on all: what it orders, C++ does not know.
void World::plain_access(const PlainAccess& access) {
  check_freed(access.place);
  if (asymmetric_ || !reports_races_ || threads_.size() == 1 || !arena_.contains(access.place))
    return;
  const UntrackedScope untracked(*this);
  data_race_ = plain_accesses_.add(memory_, running_, access);
  if (data_race_) leave(End::kFailed);
}

void World::volatile_access(const PlainAccess& access) {
  check_freed(access.place);
  const UntrackedScope untracked(*this);
  if (!memory_.knows(access.place)) memory_.born(running_, access.place);
  point(access.place);
  memory_.volatile_access(running_, access.place, access.writes);
  check_life();
  look(!access.writes);
}

bool World::wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) {
  const UntrackedScope untracked(*this);
  point(word);
  note_flushes(running_);
  memory_.flush(running_);
  const std::uint64_t seen = memory_.load(running_, word, 4, std::memory_order_relaxed);
  const bool sleeps = seen == expected && deadline_ns > now_ns_;
  note_access(sleeps ? Access::kSleep : Access::kAwake, word, 4, seen, expected);
  check_life();
  if (seen != expected) return true;
  if (deadline_ns <= now_ns_) return false;
  if (fails_spuriously()) return true;  // a sleep may end at once, and without a reason
  ThreadState& self = threads_[running_];
  self.sleeps_on = word;
  self.deadline_ns = deadline_ns;
  memory_.note(running_, kQueues + memory_.number_of(word), true);
  fall_asleep();
  note_access(self.timed_out ? Access::kTimedOut : Access::kWoken, word, 4, 0, 0);
  return !self.timed_out;
}

std::uint64_t World::sleepers_to_wake(const void* word, int most) const {
  const auto sleep_there =
      std::count_if(threads_.begin(), threads_.end(), [&](const ThreadState& thread) {
        return thread.state == State::kAsleep && thread.sleeps_on == word;
      });
  return static_cast<std::uint64_t>(std::min<std::ptrdiff_t>(sleep_there, most));
}

void World::wake(const void* word, int count) {
  const UntrackedScope untracked(*this);
  point();
  note_flushes(running_);
  memory_.flush(running_);
  note_access(Access::kWake, word, 4, 0, sleepers_to_wake(word, count));
  for (; count > 0; --count) {
    ThreadState* first = nullptr;
    for (ThreadState& thread : threads_) {
      if (thread.state != State::kAsleep || thread.sleeps_on != word) continue;
      if (first == nullptr || thread.slept_since < first->slept_since) first = &thread;
    }
    if (first == nullptr) return;
    // A sleeper's word is alive: it lies where the sleeper waits.
    memory_.note(running_, kQueues + memory_.number_of(word), true);
    first->state = State::kReady;
    first->deadline_ns = kNever;
    memory_.note(static_cast<std::uint32_t>(first - threads_.data()),
                 kQueues + memory_.number_of(word), true);
  }
}

std::int64_t World::now() {
  const UntrackedScope untracked(*this);
  point();
  memory_.note(running_, kClock, false);
  return now_ns_;
}

void World::sleep_until(std::int64_t deadline_ns) {
  const UntrackedScope untracked(*this);
  point();
  if (deadline_ns <= now_ns_) return;
  threads_[running_].deadline_ns = deadline_ns;
  fall_asleep();
}

void World::pause() {
  const UntrackedScope untracked(*this);
  wait_for_change();
}

std::uint32_t World::start(std::function<void()> body) {
  // In the program's memory, and never destroyed: see Arena.
  auto* const kept = new std::function<void()>(std::move(body));
  const UntrackedScope untracked(*this);
  memory_.buffered(running_) ? point() : count_step();
  const auto number = static_cast<std::uint32_t>(threads_.size());
  if (number == kMaxThreads) leave(End::kTooLong);
  add_thread();
  threads_[number].fibre.prepare(arena_.stack(number), Arena::kStackBytes, begin_thread, kept);
  memory_.started(number, running_);
  return number;
}

void World::join(std::uint32_t thread) {
  const UntrackedScope untracked(*this);
  memory_.buffered(running_) ? point() : count_step();
  note_flushes(running_);
  memory_.flush(running_);
  if (stuck_) return;
  if (!ended(thread)) {
    threads_[running_].joins = thread;
    fall_asleep();
  }
  if (!stuck_) memory_.joined(running_, thread);
}

void* World::own_of(std::uint32_t thread, platform::simulated::Maker maker) {
  for (const Own& own : owns_) {
    if (own.thread == thread && own.maker == maker) return own.object;
  }
  void* const made = maker();
  const UntrackedScope untracked(*this);
  owns_.push_back({thread, maker, made});
  return made;
}

}  // namespace lockbench::stress::explore

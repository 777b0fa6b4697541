// SPDX-License-Identifier: Apache-2.0

// Which thread of a world runs next, and when time passes.

#include <algorithm>
#include <utility>

#include "harness/stress/explore/world/caller_state.h"
#include "harness/stress/explore/world/world.h"

namespace lockbench::stress::explore {

void World::collect(bool may_go_on) {
  options_.clear();
  if (may_go_on) options_.push_back({Option::kRun, static_cast<std::uint8_t>(running_)});
  const auto threads = static_cast<std::uint8_t>(threads_.size());
  collect_flushes(false);
  bool any_paused = false;
  for (std::uint8_t i = 0; i < threads; ++i) {
    any_paused |= threads_[i].state == State::kPaused;
    const bool goes_on = may_go_on && i == running_;
    if (threads_[i].state == State::kReady && !goes_on) options_.push_back({Option::kRun, i});
  }
  for (std::uint8_t i = 0; any_paused && i < threads; ++i) {
    if (threads_[i].state == State::kPaused && ready(i)) options_.push_back({Option::kRun, i});
  }
  if (options_.empty()) collect_flushes(true);
  all_paused_ = options_.empty();
  if (all_paused_) collect_paused();
  if (!anybody_has_a_deadline(options_.empty())) return;
  if (options_.empty() || !clock_.expects_any_answer() ||
      next_deadline() - clock_.now_ns() <= kMostHurryNs) {
    options_.push_back({Option::kTime, 0});
  }
}

void World::collect_flushes(bool all) {
  const auto threads = static_cast<std::uint8_t>(threads_.size());
  for (std::uint8_t i = 0; i < threads; ++i) {
    if (memory_.buffered(i) && (all || matters_to_others(i))) {
      options_.push_back({Option::kFlush, i});
    }
  }
}

// True if a store in the buffer of `thread` may affect the next step of another thread.
bool World::matters_to_others(std::uint32_t thread) const {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (i == thread) continue;
    const ThreadState& other = threads_[i];
    const bool waits_for_any = other.state == State::kPaused && !ready(i);
    if (waits_for_any || next_[i] == &kAnyWord) return true;
    if (next_[i] == &kLatestStores && memory_.stored_since(thread)) return true;
    if (next_[i] != nullptr && memory_.buffers(thread, next_[i])) return true;
    if (memory_.buffers_meet(thread, i)) return true;
  }
  return false;
}

// A thread that paused may poll again if some word has changed since.
bool World::ready(std::uint32_t thread) const {
  const ThreadState& state = threads_[thread];
  return state.state == State::kReady ||
         (state.state == State::kPaused && state.polling.may_go_on(memory_.changes()));
}

// Called if no other thread can run and no store is pending.
void World::collect_paused() {
  const auto threads = static_cast<std::uint32_t>(threads_.size());
  idle_polls_.add(memory_.changes(), threads);
  if (idle_polls_.let_time_pass(clock_.any_overdue()) && anybody_has_a_deadline(true)) return;
  if (idle_polls_.are_too_many()) return;
  for (std::uint32_t i = 1; i <= threads; ++i) {
    const std::uint32_t thread = (running_ + i) % threads;
    if (threads_[thread].state != State::kPaused) continue;
    options_.push_back({Option::kRun, static_cast<std::uint8_t>(thread)});
    if (idle_polls_.are_in_turn()) return;
  }
}

bool World::anybody_has_a_deadline(bool with_spare) const {
  return clock_.any_due_later(with_spare) ||
         sleepers_.first_deadline_ns() != SimulatedClock::kNever;
}

void World::decide(bool may_go_on) {
  for (;;) {
    collect(may_go_on);
    if (options_.empty()) return inspect_when_stuck();
    std::size_t chosen = 0;
    const bool restless = strategy_->restless();
    if (options_.size() > 1 || restless) {
      chosen = strategy_->choose({.step = execution_.steps,
                                  .state = memory_.state(),
                                  .running = running_,
                                  .may_go_on = may_go_on,
                                  .all_paused = all_paused_,
                                  .options = options_,
                                  .next = {next_.data(), threads_.size()},
                                  .awake_only = following() ? awake_only() : 0});
      if (chosen == Strategy::kLeave) leave(End::kLeft);
      if (restless && !strategy_->restless()) note_decision({Option::kSettle});
      note_decision(options_[chosen]);
    }
    const Option option = options_[chosen];
    switch (option.kind) {
      case Option::kSpurious:  // see fails_spuriously(), choose_age() and choose_arrival()
      case Option::kRead:
      case Option::kPosition:
      case Option::kArrive:
      case Option::kSettle:
        break;
      case Option::kFlush:
        if (log_.on()) note_flush(option.thread, memory_.pending_stores(option.thread).front());
        memory_.flush_oldest(option.thread);
        break;
      case Option::kTime:
        let_time_pass();
        break;
      case Option::kRun:
        return go_on_with(option.thread);
    }
  }
}

// If thread 0 waits for the others, it continues and looks at the state that they left. It may be
// the last thread that began to wait.
void World::inspect_when_stuck() {
  const Sleep* const sleep = sleepers_.find(0);
  if (!inspects_when_stuck_ || sleep == nullptr) leave(End::kStuck);
  const bool waits_itself = running_ == 0 && sleep->joins == 0;
  if (waits_itself) leave(End::kStuck);
  stuck_ = true;
  log_.stop();
  wake_up(0);
  go_on_with(0);
}

void World::go_on_with(std::uint32_t thread) {
  if (thread == running_) return;
  const std::uint32_t before = std::exchange(running_, thread);
  running_since_ = execution_.steps;
  Fibre::jump(threads_[before].fibre, threads_[thread].fibre);
  untracked_ = true;
}

bool World::runs_past_its_deadline() const {
  return !conditions_.patient && clock_.is_due(running_) &&
         execution_.steps - running_since_ > kMostSteps / 2;
}

void World::count_step() {
  beats_ = beats_ + 1;
  if (++execution_.steps > most_steps_) leave(End::kTooLong);
  if (execution_.steps % kStepsBetweenLooks == 0 && ends_by_ && Clock::now() >= *ends_by_) {
    leave(End::kOutOfTime);
  }
}

// The state in which the running thread is about to read; absent if it is not in code of a plug-in.
std::optional<std::uint64_t> World::state_of_running() {
  if (!threads_[running_].instrumented) return std::nullopt;
  return state_of_caller(arena_.stack(running_) + Arena::kStackBytes);
}

// True if instrumented code of the running thread polls in a loop that changes nothing: it is in
// the state in which it polled here before. Such a thread can do nothing else until memory changes,
// so it need not be run until then.
bool World::repeats_itself() {
  ThreadState& self = threads_[running_];
  return self.instrumented && self.polling.compares_at(self.code) &&
         self.polling.returns_to(self.code, state_of_running());
}

// The running thread has read a word, and perhaps tried to change it without success. A thread that
// does nothing else is made to wait, even if it does not call pause(): at once if it certainly does
// nothing else, otherwise after a long time.
void World::note_poll(bool in_vain) {
  if (strategy_->restless()) return;
  Polling& polling = threads_[running_].polling;
  if (!in_vain) return polling.end(memory_.changes());
  if (!polling.add_poll(memory_.changes()) || threads_.size() == 1) return;
  const bool repeats = repeats_itself();
  if (!repeats && (conditions_.patient || !polling.is_long())) return;
  polling.begin_wait();
  // One that repeats itself certainly does nothing else.
  if (repeats) polling.pause_certainly(memory_.changes());
  wait_for_change();
}

void World::wait_for_change() {
  ThreadState& self = threads_[running_];
  strategy_->paused(running_);
  self.state = State::kPaused;
  self.polling.pause(memory_.changes());
  // A change that the thread has not seen yet counts as a later change.
  if (memory_.polls_unseen(running_)) self.polling.expect_unseen();
  choose_next(false);
  self.state = State::kReady;
  // Stores become visible in finite time: a thread that polls again sees those that existed by now.
  memory_.see_polled(running_);
}

// The decision point before an access. `next` is the word of the access; null if it has none.
void World::point(const void* next) {
  ++accesses_;
  next_[running_] = next;
  threads_[running_].before_access = true;
  choose_next(true);
  next_[running_] = nullptr;
  threads_[running_].before_access = false;
}

std::uint32_t World::awake_only() const {
  std::uint32_t threads = 0;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const bool is_it = threads_[i].state == State::kReady && !threads_[i].before_access;
    threads |= (is_it ? 1U : 0U) << i;
  }
  return threads;
}

void World::choose_next(bool may_go_on) {
  count_step();
  if (stuck_) return may_go_on ? void() : leave(End::kStuck);
  const bool alone = threads_.size() == 1 && may_go_on;
  if (!alone) decide(may_go_on);
  // The following operation counts as an event even if it has no effect, such as a wake-up that
  // wakes no thread.
  memory_.step(running_);
}

// The next moment at which a thread wakes up or its answer is due.
std::int64_t World::next_deadline() const {
  return std::min(sleepers_.first_deadline_ns(), clock_.next_due_ns());
}

// The last moment before the call of a thread that polls must return. One that ends early has seen
// its end by then, whatever it takes for its end. One that sleeps has told its end.
std::int64_t World::last_look_of_a_poller() const {
  std::int64_t first = SimulatedClock::kNever;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (spins(i)) first = std::min(first, clock_.last_before_due_ns(i));
  }
  return first;
}

void World::let_time_pass() {
  // This was the only option: no thread can run, and no store is pending.
  const bool forced = options_.size() == 1;
  std::int64_t next = next_deadline();
  if (forced) next = std::min(next, last_look_of_a_poller());
  clock_.advance(next);
  idle_polls_.restart();
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const Sleep* const sleep = sleepers_.find(i);
    if (forced) clock_.add_overdue(i);
    if (!forced && sleep == nullptr) clock_.add_spare(i);
    if (clock_.became_due(i)) memory_.note(i, kClock, true);
    if (sleep != nullptr && sleep->deadline_ns <= clock_.now_ns()) time_out(*sleep);
  }
}

// The running thread sleeps until it is woken, or until its deadline: then this returns false.
bool World::fall_asleep(const Sleep& sleep) {
  if (stuck_) leave(End::kStuck);
  ThreadState& self = threads_[running_];
  if (follower_ != nullptr) follower_->changed(running_);
  self.state = State::kAsleep;
  self.timed_out = false;
  sleepers_.add(sleep);
  decide(false);
  memory_.step(running_);
  return !self.timed_out;
}

void World::wake_up(std::uint32_t thread) {
  threads_[thread].state = State::kReady;
  sleepers_.remove(thread);
}

void World::time_out(Sleep sleep) {
  wake_up(sleep.thread);
  threads_[sleep.thread].timed_out = true;
  memory_.note(sleep.thread, kClock, true);
  if (sleep.word == nullptr) return;
  memory_.note(sleep.thread, kQueues + memory_.number_of(sleep.word), true);
}

}  // namespace lockbench::stress::explore

// SPDX-License-Identifier: Apache-2.0

// The operating system of a simulation: which thread runs on which processor, and when.

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include "harness/predict/machine/simulation.h"

namespace lockbench::machine {

// ---- placement

void Simulation::place_threads() {
  for (const std::unique_ptr<Thread>& thread : threads_) {
    const std::size_t count = pinned() ? bound_.size() : processors_.size();
    const auto index = static_cast<std::uint32_t>(thread->number % count);
    put_on(*thread, pinned() ? bound_[index] : index, 0);
    thread->woken = false;
  }
}

// ---- processors

void Simulation::put_on(Thread& thread, std::uint32_t number, Picoseconds time) {
  Processor& processor = processors_[number];
  thread.processor = number;
  thread.time = std::max(thread.time, time);
  if (processor.runs != Processor::kIdle) {
    thread.state = State::kQueued;
    thread.woken = true;
    processor.queue.push_back(thread.number);
    return;
  }
  thread.time = std::max(thread.time, processor.since);
  thread.state = State::kRuns;
  processor.runs = thread.number;
  processor.since = thread.time;
  add_event(thread.time, EventKind::kResume, thread.number);
}

// The thread that ran on the processor has left it at `time`.
void Simulation::run_next_on(std::uint32_t number, Picoseconds time) {
  Processor& processor = processors_[number];
  processor.runs = Processor::kIdle;
  processor.since = time;
  const auto longest = std::max_element(
      processors_.begin(), processors_.end(),
      [](const Processor& a, const Processor& b) { return a.queue.size() < b.queue.size(); });
  const bool takes_from_others = processor.queue.empty() && !pinned();
  Processor& from = takes_from_others ? *longest : processor;
  if (from.queue.empty()) return;
  Thread& next = *threads_[from.queue.front()];
  from.queue.pop_front();
  next.woken = false;
  put_on(next, number, time + model_.scheduler.context_switch);
}

void Simulation::leave_processor_if_due() {
  Thread& thread = self();
  Processor& processor = processors_[thread.processor];
  if (processor.queue.empty()) return;
  const bool woken = threads_[processor.queue.front()]->woken;
  const SchedulerCosts& costs = model_.scheduler;
  if (thread.time < processor.since + (woken ? costs.granularity : costs.slice)) return;
  ++counts_.involuntary_switches;
  let_next_run();
}

// The running thread goes to the end of its processor's queue.
void Simulation::let_next_run() {
  flush_buffer();
  Thread& thread = self();
  thread.state = State::kQueued;
  thread.woken = false;
  processors_[thread.processor].queue.push_back(running_);
  run_next_on(thread.processor, thread.time);
  run_events();
}

// The processor for a thread that wakes up: its last one if that is idle, else the nearest idle
// one, of a core without other work if there is one, the fastest first; else the one with the
// shortest queue.
std::uint32_t Simulation::processor_for(const Thread& thread) const {
  if (pinned() || processors_[thread.processor].runs == Processor::kIdle) return thread.processor;
  std::uint32_t best = thread.processor;
  auto least = std::tuple(true, std::numeric_limits<std::size_t>::max(), true, 0.0, Picoseconds{0});
  for (std::uint32_t i = 0; i < processors_.size(); ++i) {
    const Processor& processor = processors_[i];
    const bool busy = processor.runs != Processor::kIdle;
    const auto rank = std::tuple(busy, processor.queue.size(), sibling_is_busy(i),
                                 processor.slowness, model_.between(thread.processor, i));
    if (rank >= least) continue;
    least = rank;
    best = i;
  }
  return best;
}

void Simulation::make_ready(Thread& thread, Picoseconds time) {
  thread.sleeps_on = nullptr;
  put_on(thread, processor_for(thread), time);
}

// ---- calls

void Simulation::sleep(const void* word, std::int64_t deadline_ns, Picoseconds way_back) {
  Thread& thread = self();
  begin_poll();
  thread.sleep = ++sleeps_;
  thread.state = State::kAsleep;
  thread.sleeps_on = word;
  thread.timed_out = false;
  ++counts_.voluntary_switches;
  constexpr std::int64_t kNever = INT64_MAX / kPerNanosecond;
  if (deadline_ns < kNever) {
    const Picoseconds deadline = std::max(deadline_ns * kPerNanosecond, thread.time);
    add_event(deadline, EventKind::kTimer, thread.number, thread.sleep);
  }
  thread.time += way_back + on_this_core(model_.scheduler.futex_wait);
  run_next_on(thread.processor, thread.time);
  run_events();
}

// The kernel has the threads that sleep on a word in a bucket. A thread that is about to sleep
// counts itself there and locks it before it looks at the word; one that wakes others reads the
// count, and locks the bucket only if it finds sleepers. So calls of two processors for one word
// take different times, and the threads do not fall into step. Source: D. Bueso, "futexes:
// Avoid taking the hb->lock if there's nothing to wake up", 2014.
void Simulation::access_bucket(const void* word, bool writes) {
  constexpr std::uintptr_t kOfTheKernel = std::uintptr_t{1} << 63;
  const auto location = reinterpret_cast<std::uintptr_t>(word) | kOfTheKernel;
  fetch(reinterpret_cast<const void*>(location), writes);
  stop_working_ahead(self());
}

// Half of a call passes before the kernel looks at the word, and half afterwards. Returns the
// second half.
Picoseconds Simulation::enter_kernel() {
  const Picoseconds call = on_this_core(varied(model_.scheduler.futex_call));
  self().time += call / 2;
  return call - call / 2;
}

bool Simulation::wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) {
  flush_buffer();
  stop_working_ahead(self());
  const Picoseconds way_back = enter_kernel();
  count_access();
  synchronize();
  access_bucket(word, true);
  fetch(word, false);
  std::uint32_t found = 0;
  std::memcpy(&found, word, sizeof found);
  if (found != expected) {
    access_bucket(word, true);  // counts itself out
    self().time += way_back;
    return true;
  }
  sleep(word, deadline_ns, way_back);
  return !self().timed_out;
}

Simulation::Thread* Simulation::first_asleep_on(const void* word) const {
  Thread* first = nullptr;
  for (const std::unique_ptr<Thread>& other : threads_) {
    if (other->state != State::kAsleep || other->sleeps_on != word) continue;
    if (first == nullptr || other->sleep < first->sleep) first = other.get();
  }
  return first;
}

// By up to an eighth of the mean, if calls vary. Multiplier and increment: see vary_calls().
Picoseconds Simulation::varied(Picoseconds mean) {
  if (!calls_vary_) return mean;
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;
  const Picoseconds range = mean / 4;
  return mean - range / 2 + static_cast<Picoseconds>(random_ >> 32) % (range + 1);
}

int Simulation::wake(const void* word, int count) {
  flush_buffer();
  Thread& thread = self();
  stop_working_ahead(thread);
  const Picoseconds way_back = enter_kernel();
  count_access();
  synchronize();
  access_bucket(word, false);
  int woken = 0;
  if (first_asleep_on(word) != nullptr) {
    access_bucket(word, true);
    // Others may have woken the first since the count was read.
    for (Thread* first = nullptr; woken < count && (first = first_asleep_on(word)) != nullptr;
         ++woken) {
      thread.time += on_this_core(varied(model_.scheduler.futex_wake));
      make_ready(*first, thread.time + way_back + varied(model_.scheduler.wakeup));
    }
  }
  thread.time += way_back;
  return woken;
}

std::int64_t Simulation::now_ns() {
  return (self().time += on_this_core(model_.access.clock)) / kPerNanosecond;
}

std::uint64_t Simulation::ticks() {
  self().time += on_this_core(model_.access.clock / 3);
  return static_cast<std::uint64_t>(self().time / kPerNanosecond);
}

void Simulation::sleep_until_ns(std::int64_t deadline_ns) {
  flush_buffer();
  synchronize();
  if (deadline_ns * kPerNanosecond > self().time) sleep(nullptr, deadline_ns, 0);
}

void Simulation::begin_poll() {
  self().polls = true;
  stop_working_ahead(self());
}

void Simulation::pause() {
  begin_poll();
  self().time += slowed(model_.access.pause);
}

void Simulation::yield() {
  begin_poll();
  self().time += on_this_core(model_.scheduler.yield);
  if (!processors_[self().processor].queue.empty()) let_next_run();
}

void Simulation::work(Picoseconds duration) {
  while (duration > 0) {
    const Picoseconds part = std::min(duration, model_.scheduler.granularity);
    self().time += on_this_core(part);
    duration -= part;
    synchronize();
  }
}

}  // namespace lockbench::machine

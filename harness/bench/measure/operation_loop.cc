// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/operation_loop.h"

#include <algorithm>

#include "harness/bench/measure/arrivals.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench {

OperationLoop::OperationLoop(const Trial& trial, std::uint32_t thread, const SpinPace& pace,
                             ThreadReport& report)
    : cell_(trial.cell),
      report_(report),
      sampler_(cell_.sample_every, derive_seed(trial.seed, ~std::uint64_t{thread})),
      think_(cell_.think, pace, Worker::Role::kThink),
      idles_(cell_.mode == Mode::kTimed && cell_.think.sleeps()),
      scratch_(think_.lines()),
      thread_(thread),
      seed_(derive_seed(trial.seed, ~std::uint64_t{thread})) {}

void OperationLoop::run(TrialPhases& phases) {
  // relaxed: only for messages and for the judgement of a trial that does not end.
  report_.begun.store(true, std::memory_order_relaxed);
  // Another seed than those of the sampler and of the arrivals.
  seed_random_work(derive_seed(seed_, 2));
  begin(phases);
  const Usage before = report_.own_process ? Usage::now() : Usage{};
  report_.started = platform::now();
  report_.ended = measure(phases);
  if (report_.own_process) report_.used = Usage::now() - before;
  const Counts counted = counts();
  report_.operations = (counted.attempts - before_.attempts) - (counted.failed - before_.failed);
  report_.given_up = counted.given_up - before_.given_up;
  // relaxed: only for messages that name the threads that did not arrive.
  report_.at_work.store(false, std::memory_order_relaxed);
}

void OperationLoop::begin(TrialPhases& phases) {
  if (cell_.mode == Mode::kTimed) return warm_up(phases);
  // relaxed: only for messages, as in run().
  report_.at_work.store(false, std::memory_order_relaxed);
  phases.wait_at_gate();
  report_.at_work.store(true, std::memory_order_relaxed);
}

// An operation that is in progress when the window opens ends in the window and counts. One that
// ended before, and whose thread then slept, does not.
void OperationLoop::warm_up(TrialPhases& phases) {
  operate_untimed();
  phases.arrive();
  do {
    forget_counts();
    operate_untimed();
  } while (phases.in(TrialPhases::kWarmup));
  if (idles_ && idle_from_ < phases.opening()) forget_counts();
}

// Returns when the last operation ended, the computed think time behind it included; at the
// earliest when the window closed.
platform::Time OperationLoop::measure(const TrialPhases& phases) {
  if (cell_.mode == Mode::kOpen) return serve(phases.opening());
  if (cell_.mode == Mode::kFixed) {
    operate_fixed();
  } else {
    operate_while_measured(phases);
    if (idles_) return std::max(idle_from_, phases.closing());
  }
  return platform::now();
}

// The schedule starts when the gate opens. Operations that are due before the window opens are
// served and not counted. A thread with no further operation stays until the window closes, because
// it was available for any arrival until then.
platform::Time OperationLoop::serve(platform::Time opening) {
  // This seed differs from the seed of the sampler; otherwise the gaps would decide which
  // operations are sampled.
  Arrivals arrivals(cell_, thread_, derive_seed(seed_, 1));
  const platform::Time gate = opening - cell_.warmup;
  const platform::Time closing = opening + cell_.window;
  std::optional<platform::Time> closed;  // when this thread saw that the window had closed
  for (;;) {
    const auto after_gate = static_cast<std::int64_t>(arrivals.next());
    const platform::Time due = gate + platform::Duration(after_gate);
    if (due >= closing) {
      if (!closed) platform::sleep_until(closing);
      return closed ? *closed : platform::now();
    }
    const bool counts = due >= opening;
    // After the window closes, the remaining schedule is only counted.
    if (!closed && await(due, counts) >= closing) closed = platform::now();
    if (closed) {
      count_unserved(closing - due, counts);
    } else {
      serve_one(due, counts);
    }
  }
}

void OperationLoop::serve_one(platform::Time due, bool counts) {
  if (counts && sampler_.due()) return operate_timed(due);
  operate_untimed();
  if (!counts) forget_counts();
}

// The window closed before the operation was started: its wait lasted at least until then.
void OperationLoop::count_unserved(platform::Duration waited, bool counts) {
  if (!counts) return;
  ++report_.unserved;
  report_.wait.record(static_cast<std::uint64_t>(waited.count()));
}

// Returns the time, which is at least `due`. A thread that arrives early sleeps until shortly
// before `due` and then polls the clock, because the kernel's wake-ups are too late for
// measurements of locks.
platform::Time OperationLoop::await(platform::Time due, bool counts) {
  constexpr platform::Duration kLook = std::chrono::microseconds(50);
  platform::Time now = platform::now();
  if (now >= due) return now;
  if (due - now > kLook) platform::sleep_until(due - kLook);
  while ((now = platform::now()) < due) platform::pause();
  if (counts) {
    ++report_.idle_starts;
    report_.idle_lateness_ns += static_cast<std::uint64_t>((now - due).count());
  }
  return now;
}

}  // namespace lockbench

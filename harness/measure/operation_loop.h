// OperationLoop: one worker's way through a trial.
//
//   timed   works from the start; once the window opens it counts and times, until it closes
//   fixed   waits at the gate, then does its number of operations
//   open    waits at the gate, then starts each operation when it is due, or, when the one before
//           took too long, as soon as it can; waits count from when it was due
#pragma once

#include <ctime>
#include <optional>
#include <vector>

#include "harness/measure/arrivals.h"
#include "harness/measure/course.h"
#include "harness/measure/probe.h"
#include "harness/plan/cell.h"
#include "primitives/platform/spin.h"
#include "workloads/work.h"

namespace lockbench {

template <class Actor>
class OperationLoop {
 public:
  OperationLoop(Actor& actor, const Trial& trial, std::uint32_t thread, const SpinPace& pace,
                ThreadReport& report)
      : actor_(actor),
        cell_(trial.cell),
        thread_(thread),
        seed_(derive_seed(trial.seed, ~std::uint64_t{thread})),
        report_(report),
        sampler_(cell_.sample_every, seed_),
        think_(cell_.think, pace),
        scratch_(think_.lines()) {}

  void run(Course& course) {
    if (cell_.mode == Mode::kTimed) {
      warm_up(course);
    } else {
      // relaxed: for people who ask which threads do not come.
      report_.at_work.store(false, std::memory_order_relaxed);
      course.meet();
      report_.at_work.store(true, std::memory_order_relaxed);
    }
    const Usage before = report_.own_process ? Usage::now() : Usage{};
    report_.started = platform::now();
    report_.ended = measure(course);
    if (report_.own_process) report_.used = Usage::now() - before;
    const Counts counted = counts();
    report_.operations = (counted.attempts - before_.attempts) - (counted.failed - before_.failed);
    report_.given_up = counted.given_up - before_.given_up;
    report_.at_work.store(false, std::memory_order_relaxed);  // relaxed: as above
  }

 private:
  struct Counts {
    std::uint64_t attempts = 0;  // operations ended
    std::uint64_t failed = 0;    // of these, given up
    std::uint64_t given_up = 0;  // acquisitions
  };

  Counts counts() const {
    return {.attempts = attempts_, .failed = failed_, .given_up = actor_.given_up()};
  }

  // What was done so far is not part of the window.
  void forget_counts() { before_ = counts(); }

  // The operation under way when the window opens ends in it, and counts.
  void warm_up(Course& course) {
    operate(UntimedProbe());
    course.arrive();
    do {
      forget_counts();
      operate(UntimedProbe());
    } while (course.in(Course::kWarmup));
  }

  // Returns when the last operation ended.
  platform::Time measure(const Course& course) {
    if (cell_.mode == Mode::kOpen) return serve(course.opening());
    if (cell_.mode == Mode::kFixed) {
      for (std::uint64_t i = 0; i < cell_.operations; ++i) step();
    } else {
      while (course.in(Course::kMeasure)) step();
    }
    return platform::now();
  }

  void step() {
    if (sampler_.due()) [[unlikely]] {
      operate(TimedProbe(report_.wait, report_.hold));
    } else {
      operate(UntimedProbe());
    }
  }

  template <class Probe>
  void operate(Probe probe) {
    if (!actor_.operate(probe)) [[unlikely]] {
      ++failed_;
    }
    // relaxed: a progress report, nothing is published by it.
    report_.attempts.store(++attempts_, std::memory_order_relaxed);
    think_.perform(scratch_.data());
  }

  // The schedule runs from the opening of the gate; what was due before the window is served, and
  // not counted. Whoever has nothing more due stays until the window closes: it was there for
  // whatever might have come.
  platform::Time serve(platform::Time opening) {
    // Of another seed than the sampler, which would else choose by the gaps.
    Arrivals arrivals(cell_, thread_, derive_seed(seed_, 1));
    const platform::Time gate = opening - cell_.warmup;
    const platform::Time closing = opening + cell_.window;
    std::optional<platform::Time> closed;  // when this thread saw that the window had closed
    for (;;) {
      const auto after_gate = static_cast<std::int64_t>(arrivals.next());
      const platform::Time due = gate + platform::Duration(after_gate);
      if (due >= closing) {
        if (!closed) sleep_until(closing);
        return closed ? *closed : platform::now();
      }
      const bool counts = due >= opening;
      // From the closing on the schedule is only counted to its end.
      if (!closed && await(due, counts) >= closing) closed = platform::now();
      if (closed) {
        leave_unserved(closing - due, counts);
      } else if (!counts) {
        operate(UntimedProbe());
        forget_counts();
      } else if (sampler_.due()) {
        operate(TimedProbe(report_.wait, report_.hold, due));
      } else {
        operate(UntimedProbe());
      }
    }
  }

  // The window closed before its turn came: it waited at least until then.
  void leave_unserved(platform::Duration waited, bool counts) {
    if (!counts) return;
    ++report_.unserved;
    report_.wait.record(static_cast<std::uint64_t>(waited.count()));
  }

  // Returns the time, at least `due`. A thread that comes early sleeps until shortly before, and
  // looks at the clock for the rest: the kernel's wake-ups are too late to measure locks by.
  platform::Time await(platform::Time due, bool counts) {
    constexpr platform::Duration kLook = std::chrono::microseconds(50);
    platform::Time now = platform::now();
    if (now >= due) return now;
    if (due - now > kLook) sleep_until(due - kLook);
    while ((now = platform::now()) < due) platform::pause();
    if (counts) {
      ++report_.idle_starts;
      report_.idle_lateness_ns += static_cast<std::uint64_t>((now - due).count());
    }
    return now;
  }

  static void sleep_until(platform::Time time) {
    const auto ns = time.time_since_epoch().count();
    const timespec until{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                         .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
  }

  Actor& actor_;
  const Cell& cell_;
  const std::uint32_t thread_;
  const std::uint64_t seed_;
  ThreadReport& report_;
  Sampler sampler_;
  Worker think_;
  std::vector<CacheLine> scratch_;
  std::uint64_t attempts_ = 0;
  std::uint64_t failed_ = 0;
  Counts before_;
};

}  // namespace lockbench

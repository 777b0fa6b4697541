// SPDX-License-Identifier: Apache-2.0

// OperationLoop: what one worker does during a trial.
//
//   timed   works from the start; counts and times operations while the window is open. A thread
//           that sleeps between two operations counts as idle then, not as late: it leaves the
//           window when it closes
//   fixed   waits at the gate, then does its number of operations
//   open    waits at the gate, then starts each operation when it is due, or, if the one before
//           took too long, as soon as it can; waits count from the time when it was due
//
// This sequence is the same for every primitive and workload, and is compiled once. The measured
// part, which is the loops around an operation, is compiled for the concrete actor and probe by
// OperationLoopOf. It has only a few lines, because there are hundreds of these types.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "harness/bench/measure/phases.h"
#include "harness/bench/measure/probe.h"
#include "harness/bench/plan/cell.h"
#include "primitives/platform/layout.h"
#include "workloads/work.h"

namespace lockbench {

class OperationLoop {
 public:
  virtual ~OperationLoop() = default;

  void run(TrialPhases& phases);

 protected:
  OperationLoop(const Trial& trial, std::uint32_t thread, const SpinPace& pace,
                ThreadReport& report);

  // The functions of the concrete loop. The first two do operations until the window closes or the
  // fixed number is done, and the sampler decides which of them are timed. The next two do one
  // operation.
  virtual void operate_while_measured(const TrialPhases& phases) = 0;
  virtual void operate_fixed() = 0;
  virtual void operate_untimed() = 0;
  virtual void operate_timed(platform::Time due) = 0;
  virtual std::uint64_t given_up() const = 0;

  const Cell& cell_;
  ThreadReport& report_;
  Sampler sampler_;
  Worker think_;
  const bool idles_;            // think times are slept
  platform::Time idle_from_{};  // the begin of the last of them
  std::vector<CacheLine> scratch_;
  std::uint64_t attempts_ = 0;  // operations that have ended
  std::uint64_t failed_ = 0;    // of these, operations that were given up

 private:
  struct Counts {
    std::uint64_t attempts = 0;
    std::uint64_t failed = 0;
    std::uint64_t given_up = 0;  // acquisitions that were given up
  };

  Counts counts() const {
    return {.attempts = attempts_, .failed = failed_, .given_up = given_up()};
  }

  // Operations before this call are not part of the window.
  void forget_counts() { before_ = counts(); }

  void begin(TrialPhases& phases);
  void warm_up(TrialPhases& phases);
  platform::Time measure(const TrialPhases& phases);
  platform::Time serve(platform::Time opening);
  void serve_one(platform::Time due, bool counts);
  void count_unserved(platform::Duration waited, bool counts);
  platform::Time await(platform::Time due, bool counts);

  const std::uint32_t thread_;
  const std::uint64_t seed_;
  Counts before_;
};

// The loop owns its actor. The actors of two threads never share a cache line.
template <class Actor>
class alignas(platform::kCacheLine) OperationLoopOf final : public OperationLoop {
 public:
  OperationLoopOf(Actor actor, const Trial& trial, std::uint32_t thread, const SpinPace& pace,
                  ThreadReport& report)
      : OperationLoop(trial, thread, pace, report), actor_(std::move(actor)) {}

  const Actor& actor() const { return actor_; }

 private:
  void operate_while_measured(const TrialPhases& phases) override {
    while (phases.in(TrialPhases::kMeasure)) step();
  }

  void operate_fixed() override {
    for (std::uint64_t i = 0; i < cell_.operations; ++i) {
      if (sampler_.due()) {
        operate_timed(TimedProbe::kFromAsking);
      } else {
        operate_untimed();
      }
    }
  }

  [[gnu::noinline]] void operate_untimed() override { operate(UntimedProbe()); }

  [[gnu::noinline]] void operate_timed(platform::Time due) override {
    operate(TimedProbe(report_.wait, report_.hold, due));
  }

  void step() {
    if (sampler_.due()) [[unlikely]] {
      operate_timed(TimedProbe::kFromAsking);
    } else {
      operate(UntimedProbe());
    }
  }

  template <class Probe>
  void operate(Probe probe) {
    if (!actor_.operate(probe)) [[unlikely]] {
      ++failed_;
    }
    // relaxed: a progress report, which publishes no other memory.
    report_.attempts.store(++attempts_, std::memory_order_relaxed);
    if (idles_) [[unlikely]] {
      idle_from_ = platform::now();
    }
    think_.perform(scratch_.data());
  }

  std::uint64_t given_up() const override { return actor_.given_up(); }

  Actor actor_;
};

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// TrialPhases: the phases that all threads of a trial go through together, and the report of each
// thread.
//
//   timed         kWarmup ─▶ kMeasure ─▶ kStop     threads work from the start and never pause
//   fixed, open   kGate ─▶ kMeasure ─▶ kStop       threads sleep at the gate until it opens
//
// The thread that runs the trial sets the phase, and the workers read it. Each report has cache
// lines of its own, so the thread that reads the progress delays no worker. Workers may be
// processes: phases and reports contain no pointers, and workers wait on words that processes can
// share.
#pragma once

#include <atomic>
#include <cstdint>

#include <climits>

#include "harness/bench/measure/histogram.h"
#include "harness/bench/measure/usage.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_futex.h"

namespace lockbench {

class TrialPhases {
 public:
  enum Phase : std::uint32_t { kGate, kWarmup, kMeasure, kStop };

  TrialPhases(std::uint32_t threads, Phase first) : threads_(threads), phase_(first) {}

  // For workers. relaxed: a worker sees a new phase at most one cache miss late.
  bool in(Phase phase) const { return phase_.load(std::memory_order_relaxed) == phase; }

  // For workers: counts the caller as started. Once per worker.
  void arrive() { count_one(arrived_); }

  // For workers: arrive(), then sleep until the gate opens.
  void wait_at_gate() {
    arrive();
    // acquire: synchronizes with move_to().
    while (phase_.load(std::memory_order_acquire) == kGate)
      platform::shared_futex_wait(phase_, kGate);
  }

  // For workers: counts the caller as finished. Once per worker.
  void leave() { count_one(finished_); }

  // For the thread that runs the trial. release: synchronizes with wait_at_gate().
  void move_to(Phase phase) {
    phase_.store(phase, std::memory_order_release);
    platform::shared_futex_wake(phase_, INT_MAX);
  }

  // When the measured window begins and ends. Each is set before the phase changes, to kMeasure and
  // to kStop; workers read it after they have seen the change.
  void set_opening(platform::Time opening) { opening_ = opening; }
  platform::Time opening() const { return seen(opening_); }
  void set_closing(platform::Time closing) { closing_ = closing; }
  platform::Time closing() const { return seen(closing_); }

  platform::SharedWord& arrived() { return arrived_; }
  platform::SharedWord& finished() { return finished_; }
  std::uint32_t threads() const { return threads_; }

 private:
  const platform::Time& seen(const platform::Time& time) const {
    // acquire: synchronizes with move_to(), which the caller has seen relaxed.
    static_cast<void>(phase_.load(std::memory_order_acquire));
    return time;
  }

  void count_one(platform::SharedWord& counter) {
    // release: the thread that reads the full count sees what this thread did.
    if (counter.fetch_add(1, std::memory_order_release) + 1 == threads_) {
      platform::shared_futex_wake(counter, INT_MAX);
    }
  }

  const std::uint32_t threads_;
  platform::Time opening_{};
  platform::Time closing_{};
  alignas(platform::kCacheLine) platform::SharedWord phase_;
  alignas(platform::kCacheLine) platform::SharedWord arrived_{0};
  platform::SharedWord finished_{0};
};

// The record of what one worker did. Only the worker writes it. Other threads read it after the
// worker has finished. They may read the two atomics at any time.
struct alignas(platform::kCacheLine) ThreadReport {
  std::atomic<std::uint64_t> attempts{0};  // operations that have ended so far, warm-up included
  std::atomic<bool> begun{false};          // it has reached its loop
  std::atomic<bool> at_work{true};         // in its loop: not at the gate, and not finished
  std::uint64_t operations = 0;            // operations in the window
  std::uint64_t given_up = 0;              // acquisitions given up in the window
  std::uint64_t unserved = 0;              // open loop: arrivals that were not started in time
  std::uint64_t idle_starts = 0;           // open loop: operations that an idle thread started
  std::uint64_t idle_lateness_ns = 0;      // open loop: sum of the delays of these starts
  bool pinning_held = true;                // the worker ran on the processor that it was bound to
  bool on_slow_core = false;               // where the same work takes longer than planned
  bool own_process = false;                // the worker is a process with its own `used`
  Usage used;                              // in the window
  platform::Time started{};
  platform::Time ended{};
  Histogram wait;
  Histogram hold;
};

}  // namespace lockbench

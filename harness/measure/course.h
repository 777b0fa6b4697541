// SPDX-License-Identifier: Apache-2.0

// Course: the phases that all threads of a trial go through together, and what each reports.
//
//   timed         kWarmup ─▶ kMeasure ─▶ kStop     threads are at work from the start: nobody stops
//   fixed, open   kGate ─▶ kMeasure ─▶ kStop       threads sleep at the gate until it opens
//
// The thread that runs the trial moves the phase on; the workers watch it. A worker's report is its
// own cache lines, so watching progress disturbs nobody. Workers may be processes: course and
// reports hold no pointers, and sleep on words that processes share.
#pragma once

#include <atomic>
#include <cstdint>

#include <climits>

#include "harness/measure/histogram.h"
#include "harness/measure/usage.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_futex.h"

namespace lockbench {

class Course {
 public:
  enum Phase : std::uint32_t { kGate, kWarmup, kMeasure, kStop };

  Course(std::uint32_t threads, Phase first) : threads_(threads), phase_(first) {}

  // For workers. relaxed: a worker may see a phase late by a cache miss, and no more.
  bool in(Phase phase) const { return phase_.load(std::memory_order_relaxed) == phase; }

  // For workers: says "I am here", once.
  void arrive() { count_one(arrived_); }

  // For workers: says "I am here" and sleeps until the gate opens.
  void meet() {
    arrive();
    // acquire: synchronizes with move_to().
    while (phase_.load(std::memory_order_acquire) == kGate)
      platform::shared_futex_wait(phase_, kGate);
  }

  // For workers: says "I have left".
  void leave() { count_one(finished_); }

  // For the thread that runs the trial. release: synchronizes with meet().
  void move_to(Phase phase) {
    phase_.store(phase, std::memory_order_release);
    platform::shared_futex_wake(phase_, INT_MAX);
  }

  // When the measured window begins. Set before the gate opens; read by workers that came through
  // it.
  void set_opening(platform::Time opening) { opening_ = opening; }
  platform::Time opening() const { return opening_; }

  platform::SharedWord& arrived() { return arrived_; }
  platform::SharedWord& finished() { return finished_; }
  std::uint32_t threads() const { return threads_; }

 private:
  void count_one(platform::SharedWord& counter) {
    // release: what the thread did is visible to whoever sees the full count.
    if (counter.fetch_add(1, std::memory_order_release) + 1 == threads_) {
      platform::shared_futex_wake(counter, INT_MAX);
    }
  }

  const std::uint32_t threads_;
  platform::Time opening_{};
  alignas(platform::kCacheLine) platform::SharedWord phase_;
  alignas(platform::kCacheLine) platform::SharedWord arrived_{0};
  platform::SharedWord finished_{0};
};

// What one worker did. Written by the worker alone; read by others when it has left, but for the
// two atomics, which may be read at any time.
struct alignas(platform::kCacheLine) ThreadReport {
  std::atomic<std::uint64_t> attempts{0};  // operations ended so far, warm-up included
  std::atomic<bool> at_work{true};         // in its loop, not at the gate and not gone
  std::uint64_t operations = 0;            // done in the window
  std::uint64_t given_up = 0;              // acquisitions given up in the window
  std::uint64_t unserved = 0;              // open loop: arrivals whose turn did not come in time
  std::uint64_t idle_starts = 0;           // open loop: operations for which the thread was waiting
  std::uint64_t idle_lateness_ns = 0;      // by how much these started late, all together
  bool pinning_held = true;                // it ran where it was bound to
  bool own_process = false;                // the worker is one: `used` is its own
  Usage used;                              // in the window
  platform::Time started{};
  platform::Time ended{};
  Histogram wait;
  Histogram hold;
};

}  // namespace lockbench

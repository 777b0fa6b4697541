// SPDX-License-Identifier: Apache-2.0

// conclude: computes the sample from the reports of the threads and from the proof. Pure, as are
// the functions for single figures.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/bench/measure/event_counts.h"
#include "harness/bench/measure/phases.h"
#include "harness/bench/measure/sample.h"
#include "harness/bench/plan/cell.h"
#include "workloads/operation.h"
#include "workloads/proof.h"

namespace lockbench {

inline double seconds(Nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

// Jain's fairness index of per-thread figures: (sum x)^2 / (n * sum x^2). It is 1 if all are equal
// and 1/n if one thread has everything. Absent if the sum is 0.
// Source: R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", 1984.
std::optional<double> jain_index(std::span<const std::uint64_t> shares);

// When one thread worked, in seconds from any common origin.
struct Interval {
  double start_s = 0;
  double end_s = 0;
};

// The share of the time from the first start to the last end in which every thread was at work: 0
// to 1. Absent when that time is 0.
std::optional<double> overlap_of(std::span<const Interval> threads);

// The time that a perfect lock would need for fixed work, in seconds: the greatest of
//   - the holds of the busiest key, divided by the key's capacity;
//   - the holds and think times of the busiest thread;
//   - all work that must be computed (spun), divided by the number of processors.
// Absent if the length of the holds is not known (no hold, or holds that touch cache lines).
std::optional<double> ideal_seconds(const HoldBound& bound, const Cell& cell,
                                    std::uint32_t capacity, std::uint32_t processors);

// Detects a stalled trial: no thread has made progress for `limit_s`. With a limit of 0, no trial
// is stalled.
class StallWatch {
 public:
  explicit StallWatch(double limit_s) : limit_s_(limit_s) {}

  // `progress` is any number that changes when a thread makes progress. Times ascend.
  bool stalled(double now_s, std::uint64_t progress) {
    if (!seen_ || progress != progress_) {
      seen_ = true;
      progress_ = progress;
      since_s_ = now_s;
    }
    return limit_s_ > 0 && now_s - since_s_ >= limit_s_;
  }

 private:
  double limit_s_;
  bool seen_ = false;
  std::uint64_t progress_ = 0;
  double since_s_ = 0;
};

// The progress of a thread so far.
struct ThreadProgress {
  bool in_loop = false;        // it has begun, and has not finished
  std::uint64_t attempts = 0;  // operations that have ended
};

// Finds the thread that has been inside of one operation for longest, while others ended theirs.
class StarvationWatch {
 public:
  // A thread that has ended no operation for at least so long, while the others have ended so many.
  struct Starved {
    double seconds = 0;
    std::uint64_t others = 0;
  };

  // Always the same threads, in the same order. Times ascend.
  void look(double now_s, std::span<const ThreadProgress> threads);

  // At the last look. Absent if no thread was inside of its operation at two looks while others
  // ended some.
  std::optional<Starved> longest() const;

 private:
  struct Seen {
    ThreadProgress progress;
    double since_s = 0;          // the first look at which it had done this
    std::uint64_t all_then = 0;  // what all threads had done by then
  };

  std::vector<Seen> seen_;
  double now_s_ = 0;
  std::uint64_t all_ = 0;
};

// How long a thread has to be inside of one operation to count as starved: half of the time after
// which a trial without any progress is a deadlock, and twice the longest operation. 0: never.
Nanoseconds least_starvation(const Cell& cell);

// Writes the resources that the process used in the window into `sample`.
void add_usage(const Usage& used, Sample& sample);

// Everything that is known after all threads have left.
struct TrialEnd {
  const Cell& cell;
  platform::Time opened;  // when the gate opened: rates count from this time
  std::span<const ThreadReport> reports;
  Proof proof;
  std::optional<HoldBound> hold_bound;
  std::uint32_t capacity = 1;
  std::uint32_t processors = 1;
  bool holds_once = true;           // an operation holds one key, once
  double clock_ns = 0;              // one reading of the clock, which a timed hold contains
  std::span<const int> ranks = {};  // of the workers' kinds of core (Placement)
};

// Divides the counts by the operations, which `sample` must have; adds nothing if there are none.
// `workers`: of the trial; `read`: those of them that were counted, for all of which the counts
// stand. Pure.
void add_events(const EventCounts& counts, const Usage& used, std::uint32_t workers,
                std::uint32_t read, Sample& sample);

// Writes throughput, waits, fairness, overlap, the ideal and the proof into `sample`. Pure.
void conclude(const TrialEnd& end, Sample& sample);

}  // namespace lockbench

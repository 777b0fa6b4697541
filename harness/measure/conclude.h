// SPDX-License-Identifier: Apache-2.0

// conclude: computes the sample from the reports of the threads and from the proof.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/measure/event_counts.h"
#include "harness/measure/phases.h"
#include "harness/measure/sample.h"
#include "harness/plan/cell.h"
#include "workloads/operation.h"
#include "workloads/proof.h"

namespace lockbench {

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
  bool holds_once = true;  // an operation holds one key, once
  double clock_ns = 0;     // one reading of the clock, which a timed hold contains
};

// Divides the counts by the operations, which `sample` must have; adds nothing if there are none.
// `workers`: of the trial; `read`: those of them that were counted, for all of which the counts
// stand. Pure.
void add_events(const EventCounts& counts, const Usage& used, std::uint32_t workers,
                std::uint32_t read, Sample& sample);

// Writes throughput, waits, fairness, overlap, the ideal and the proof into `sample`. Pure.
void conclude(const TrialEnd& end, Sample& sample);

}  // namespace lockbench

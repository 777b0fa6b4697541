// SPDX-License-Identifier: Apache-2.0

// conclude: from what the threads report, and the proof, to a sample.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/measure/phases.h"
#include "harness/measure/sample.h"
#include "harness/plan/cell.h"
#include "workloads/operation.h"
#include "workloads/proof.h"

namespace lockbench {

// Writes what the process used in the window into `sample`.
void add_usage(const Usage& used, Sample& sample);

// Everything that is known when all threads have left.
struct TrialEnd {
  const Cell& cell;
  platform::Time opened;  // when the gate opened: rates are over the time since then
  std::span<const ThreadReport> reports;
  Proof proof;
  std::optional<HoldBound> hold_bound;
  std::uint32_t capacity = 1;
  std::uint32_t processors = 1;
};

// Writes throughput, waits, fairness, overlap, the ideal and the proof into `sample`. Pure.
void conclude(const TrialEnd& end, Sample& sample);

}  // namespace lockbench

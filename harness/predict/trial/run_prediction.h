// SPDX-License-Identifier: Apache-2.0

// run_prediction: one trial on simulated threads, on the model of a machine.
#pragma once

#include <absl/status/statusor.h>

#include "harness/bench/measure/sample.h"
#include "harness/bench/plan/cell.h"
#include "harness/predict/machine/machine_model.h"

namespace lockbench::predict {

// In timed mode, the window ends early after this number of accesses, as soon as each thread has
// ended so many operations in it, and after the greater number of accesses in any case: then the
// sample's `reason` says so. The warm-up ends by an eighth of these numbers. `window_s` of the
// sample is then shorter than the trial's.
inline constexpr std::uint64_t kWindowAccesses = 1'000'000;
inline constexpr std::uint64_t kWindowOperations = 20;
inline constexpr std::uint64_t kMostWindowAccesses = 16'000'000;

// The sample that the trial would have on the machine, with the workload's proof. Figures that are
// not predicted are absent. InvalidArgument if the trial cannot be predicted; the error says why.
// Requires begin_program_memory(). Once per process.
absl::StatusOr<Sample> run_prediction(const Trial& trial, const machine::MachineModel& model);

}  // namespace lockbench::predict

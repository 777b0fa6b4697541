// SPDX-License-Identifier: Apache-2.0

// Counterexample: an execution in which the lock failed, and its replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/explore/strategy.h"
#include "harness/stress/explore/world/world.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress::explore {

// An execution in which the lock failed.
struct Counterexample {
  Failure failure;
  std::string strategy;  // the strategy that found it
  LitmusProgram program;
  MemoryModel memory_model = MemoryModel::kTso;
  Schedule schedule;
  std::vector<TraceStep> steps;
  std::vector<World::OldStore> old_stores;
  // For the smallest program and schedule, after they were found: how many times they were executed
  // again, and how many of these failed. All, unless the lock uses what the engine does not decide.
  std::uint32_t reruns = 0;
  std::uint32_t failures = 0;
  std::uint64_t executions = 0;  // number until it was found
  double seconds = 0;
};

// Executes the program by the schedule, with a complete trace, in which the accesses that decide
// are marked. Absent if it does not fail.
std::optional<Counterexample> replay(World& world, const RegisteredLock& entry,
                                     const LitmusProgram& program, const Schedule& schedule);

}  // namespace lockbench::stress::explore

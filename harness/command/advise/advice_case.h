// SPDX-License-Identifier: Apache-2.0

// AdviceCase: the case for which a user needs a lock, and the plan that measures it. Pure.
//
//   case ─▶ candidates ─▶ plan of one cell each ─▶ (trials) ─▶ scripts/advise.py
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/plan/cell.h"
#include "harness/plan/expand.h"

namespace lockbench {

struct AdviceCase {
  Cell cell{.workload = {.name = "counter", .scenario = {}}, .threads = 0, .keys = 0};
  std::optional<std::uint64_t> memory_bytes;  // maximum for the locks
  bool fair = false;                          // no thread may starve
  bool reentrant = false;                     // a holder acquires the lock again
  std::vector<PrimitiveSpec> services;        // not empty: the lock must be one of these
  // Given: the question is from how many threads on, up to the cell's, `when` beats `beats`.
  std::optional<PrimitiveSpec> when;
  std::optional<PrimitiveSpec> beats;
};

// The primitives that make sense for the case, with suitable parameters: stripes and buckets for
// its number of threads, within its memory. If the question names two, these.
std::vector<PrimitiveSpec> candidates_for(const AdviceCase& wanted);

// One cell for each candidate that `check` accepts, with enough blocks to compare them and windows
// as long as `budget` allows. InvalidArgument if the budget is too short; the message says how much
// is needed.
absl::StatusOr<Plan> advice_plan(const AdviceCase& wanted, Nanoseconds budget,
                                 const CellCheck& check);

// The numbers of threads that the question needs: the number of the cell, and for two primitives
// also the powers of two below it.
std::vector<std::uint32_t> threads_for(const AdviceCase& wanted);

// The same for predictions, which need no budget: fewer and shorter windows, and in addition
// stripes over the C++ library's mutex, since other libraries' locks are not predicted.
absl::StatusOr<Plan> predicted_advice_plan(const AdviceCase& wanted, const CellCheck& check);

// The case as input for scripts/advise.py: fields with the names of columns, and the catalog's
// description of each primitive.
std::string case_json(const AdviceCase& wanted);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// AdviceCase: what a user wants to lock, and the plan that measures it. Pure.
//
//   case ─▶ candidates ─▶ plan of one cell each ─▶ (trials) ─▶ scripts/advise.py answers
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
  std::optional<std::uint64_t> memory_bytes;  // at most so much for the locks
  bool fair = false;                          // no thread may starve
  bool reentrant = false;                     // a holder locks again
};

// The primitives that make sense for the case, with parameters that suit it: stripes and buckets by
// its threads, within its memory.
std::vector<PrimitiveSpec> candidates_for(const AdviceCase& wanted);

// One cell for each candidate that `check` accepts, in blocks enough to compare them, windows as
// long as `budget` allows. InvalidArgument where the budget is too short for that: says how long it
// takes.
absl::StatusOr<Plan> advice_plan(const AdviceCase& wanted, Nanoseconds budget,
                                 const CellCheck& check);

// The case as scripts/advise.py takes it: fields by the names of columns, and the catalog's words
// for each primitive.
std::string case_json(const AdviceCase& wanted);

}  // namespace lockbench

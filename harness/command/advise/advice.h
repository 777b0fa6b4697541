// SPDX-License-Identifier: Apache-2.0

// Advice: which primitive for one case, from measured standings. Pure.
//
//   candidates ─▶ plan of one cell each ─▶ (trials) ─▶ group of cells ─▶ advice ─▶ sections
//
// Guarantees   a primitive is called slower only where the interval of its ratio to the first,
//              block by block, leaves 1 out, at a confidence that holds over all comparisons at
//              once (C. E. Bonferroni, 1936) as far as there are blocks for it; what is left is
//              said not to be told apart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/command/run/section.h"
#include "harness/command/run/summary.h"
#include "harness/plan/cell.h"
#include "harness/plan/expand.h"

namespace lockbench {

// What somebody wants to lock, and what he can pay for it.
struct AdviceCase {
  Cell cell{.workload = {.name = "counter", .scenario = {}}, .threads = 0, .keys = 0};
  std::optional<std::uint64_t> memory_bytes;  // at most so much for the locks
  bool fair = false;                          // nobody may starve
};

// The primitives that make sense for the case, with parameters that suit it: stripes and buckets by
// its threads, within its memory.
std::vector<PrimitiveSpec> candidates_for(const AdviceCase& wanted);

// One cell for each candidate that `check` accepts, in so many blocks that differences can be told
// at the joint confidence, windows as long as `budget` allows. InvalidArgument where the budget is
// too short for that: says how long it takes.
absl::StatusOr<Plan> advice_plan(const AdviceCase& wanted, Nanoseconds budget,
                                 const CellCheck& check);

// The group of a run that is nearest to the case.
struct NearestGroup {
  CellGroup group;
  std::vector<std::string> differences;  // `16 threads, asked 32`; empty: just what was asked
  bool far = false;                      // by more than a guess should bridge
};

// Absent where no group has two primitives to choose from.
std::optional<NearestGroup> nearest_group(const Cell& asked, std::span<const CellGroup> groups);

struct Advised {
  std::string primitive;
  std::size_t place = 0;  // from 1; 0: ruled out
  bool level = false;     // not told apart from the first
  std::string reason;     // one line
};

struct Advice {
  std::string answer;            // one line
  std::vector<Advised> advised;  // by place, then what was ruled out
  CellGroup group;               // of those that were not
  bool found = false;            // something can be advised
};

// A few words on a primitive, as the catalog has them.
using Describe = std::function<std::string(const PrimitiveSpec&)>;

// Of the group of `measurements` whose cells are as `cell` but for the primitive.
Advice advise(const AdviceCase& wanted, const Cell& cell, const Plan& plan,
              std::span<const Measurement> measurements, const Describe& describe);

// The answer with its reasons, then the figures behind it and how to read them.
std::vector<Section> advice_sections(const Advice& advice);

}  // namespace lockbench

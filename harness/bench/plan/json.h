// SPDX-License-Identifier: Apache-2.0

// JSON: cells, trials and plans to text and back, without loss.
//
// A trial is one line and contains everything that `lockbench trial` needs. Words and times are
// written as users write them (spelling.h, quantity.h):
//
//   {"number":0,"block":0,"position":0,"seed":1,"cell":{"primitive":"keyed","workload":"counter",
//    "mode":"timed","threads":8,"keys":64,"key_type":"u64","key_distribution":"uniform",
//    "hold":"200ns","think":"0","pinning":"none","timeout":"0","warmup":"20ms","window":"100ms",
//    "operations":0,"rate":0,"arrivals":"poisson","watch":"none","sample_every":64,"stall_limit":"2.08s","time_limit":"4.40016s"}}
//
// Equal values have equal text. The reader of a trial requires every field and no other, and a cell
// that check_cell (limits.h) accepts; otherwise an InvalidArgument names the field.
#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>
#include <nlohmann/json_fwd.hpp>

#include "harness/bench/plan/cell.h"

namespace lockbench {

std::string to_json(const Cell& cell);
std::string to_json(const Trial& trial);
std::string to_json(const Plan& plan);  // one trial per line, no line break at the end

// The first difference between two plans, as `seed 1 and 2`; empty if they are equal.
std::string plan_difference(const Plan& one, const Plan& other);

absl::StatusOr<Trial> trial_from_json(std::string_view text);

namespace internal {

// A plan of a run's meta.json. Errors name a field by its path from `where`. Unknown fields are
// accepted here, because a later version may have written them.
absl::StatusOr<Plan> plan_from(const nlohmann::json& value, const std::string& where);

}  // namespace internal

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// Finish: prints the end of a run. It calls `lockbench compare` as a user would, which shows the
// comparisons. This program decides nothing itself.
//
// Medians: a run's figures as plain text, for a machine without the Python modules for comparisons.
// Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/bench/command/run/session.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/shard.h"
#include "harness/bench/record/measurement.h"

namespace lockbench {

// One line for each cell of the plan, in its order: the median of the valid trials' makespans, p99
// waits (open mode) or rates, or "not valid". Each measurement belongs to a trial of the plan.
std::string medians_text(const Plan& plan, std::span<const Measurement> measurements);

// Prints "Measured <folder>" (or another word, `did`), the comparisons in `format` (text, json, csv
// or markdown) and the next commands. In any format but text, standard output has only the
// comparisons, and standard error has the rest. If the Python modules for comparisons are missing,
// it prints medians and what to install. Returns the exit code of the run: 0, or 4 if no row is
// valid.
int finish_run(const FinishedSession& session, const std::string& program,
               const std::string& format, std::string_view did = "Measured");

// The same for a shard. Shards are compared after they have been merged.
int finish_shard(const FinishedSession& session, const Shard& shard);

}  // namespace lockbench

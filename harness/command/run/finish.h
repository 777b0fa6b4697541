// SPDX-License-Identifier: Apache-2.0

// Finish: what is said of a run that has ended. `lockbench compare` shows its comparisons, called
// as a user would call it; this program decides nothing of its own.
#pragma once

#include <string>

#include "harness/command/run/session.h"
#include "harness/plan/shard.h"

namespace lockbench {

// Prints "Measured <folder>", the comparisons in `format` (text, json, csv or markdown) and the
// next commands. In any format but text, standard output has the comparisons alone, and standard
// error the rest. Without the Python that compares, medians are printed, and what to install.
// Returns the exit code of the run: 0, or 4 if no row is valid.
int finish_run(const FinishedSession& session, const std::string& program,
               const std::string& format);

// The same of a shard, which is compared when it has been merged with the others.
int finish_shard(const FinishedSession& session, const Shard& shard);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// The record of stress tests: one line of JSON for each lock and engine, in results/stress.jsonl.
// `lockbench report` reads it, to say when the locks of a run were last stressed and what came out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <absl/status/status.h>

#include "harness/record/build.h"
#include "harness/stress/report.h"

namespace lockbench {

// Beside results/runs, below the current folder.
inline constexpr char kStressRecord[] = "results/stress.jsonl";

// One line, with its end. `at`: the time in ISO 8601, UTC. `page`: what --report wrote. Pure.
std::string stress_record_line(const stress::Report& report, const Build& build,
                               const std::string& at,
                               const std::optional<std::filesystem::path>& page);

// Appends the line to `file`, and creates the file and its folder if necessary. Another process may
// append at the same time. Unavailable if the file cannot be written: its name and why.
absl::Status append_stress_record(const std::filesystem::path& file, const std::string& line);

}  // namespace lockbench

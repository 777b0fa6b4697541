// SPDX-License-Identifier: Apache-2.0

// The results that stress tests leave behind. The record: one line of JSON for each lock and
// engine, in results/stress.jsonl. `lockbench report` reads it, to say when the locks of a run were
// last stressed and what came out.
//
// The page of one run: all reports as JSON, from which scripts/commands/stress_report.py
// generates one self-contained page.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/bench/record/build.h"
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

// The reports, and the list of all oracles with their descriptions, so that the page also shows the
// oracles that were never evaluated.
std::string stress_page_json(const std::vector<stress::Report>& reports,
                             const std::string& machine);

// Writes the page, or the JSON if the file ends in `.json`. Fails like write_page().
absl::Status write_stress_page(const std::vector<stress::Report>& reports,
                               const std::string& machine, const std::filesystem::path& file);

}  // namespace lockbench

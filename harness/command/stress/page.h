// SPDX-License-Identifier: Apache-2.0

// The page of a run of `lockbench stress`: all reports as JSON, from which scripts/stress_report.py
// generates one self-contained page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/stress/report.h"

namespace lockbench {

// The reports, and the list of all oracles with their descriptions, so that the page also shows the
// oracles that were never evaluated.
std::string stress_page_json(const std::vector<stress::Report>& reports,
                             const std::string& machine);

// Writes the page, or the JSON if the file ends in `.json`. Fails like write_page().
absl::Status write_stress_page(const std::vector<stress::Report>& reports,
                               const std::string& machine, const std::filesystem::path& file);

}  // namespace lockbench

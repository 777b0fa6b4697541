// SPDX-License-Identifier: Apache-2.0

// `lockbench plot`, `lockbench compare`, `lockbench report`: Python analyses what was measured.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// What the scripts import beyond Python's own library.
inline const std::vector<std::string> kAnalysisModules{"jinja2", "matplotlib", "pandas", "scipy"};

// Interpreter, scripts/<name>.py and the arguments. NotFound says what to install.
absl::StatusOr<std::vector<std::string>> analysis_words(const std::string& name,
                                                        const std::vector<std::string>& arguments);

// Becomes scripts/<name>.py with the arguments, in an interpreter that has what it needs. Returns
// only when that fails: 2, and says why on standard error.
int analysis_command(const std::string& name, const std::vector<std::string>& arguments);

// An analysis takes seconds, of the largest run that is read some minutes; a longer one hangs.
inline constexpr std::chrono::minutes kAnalysisEndsWithin{30};

// Runs the same in a process of its own, which shares this one's standard streams, and returns its
// exit code; 128 and the signal's number if a signal was noted (signals.h), which ends it. Fails if
// it cannot be started (the message says what to install), does not end in time, or crashes.
absl::StatusOr<int> run_analysis(const std::string& name, const std::vector<std::string>& arguments,
                                 std::chrono::steady_clock::duration at_most = kAnalysisEndsWithin);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// `lockbench plot`, `lockbench compare`, `lockbench report`: Python scripts analyse the
// measurements.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// The modules outside Python's standard library that the scripts import, all together. A script is
// started with an interpreter that has those that it needs itself.
inline const std::vector<std::string> kAnalysisModules{"jinja2", "matplotlib", "pandas", "scipy"};

// The words of the command: interpreter, script and arguments. `name` is that of a script in
// scripts/commands, or the path of another script from the root. NotFound says what to install.
absl::StatusOr<std::vector<std::string>> analysis_words(const std::string& name,
                                                        const std::vector<std::string>& arguments);

// Replaces this process by that script with the arguments, in an interpreter that has its
// modules. It returns only if that fails: it then prints the reason to standard error and returns
// 2.
int analysis_command(const std::string& name, const std::vector<std::string>& arguments);

// Replaces this process by the analysis with these words (analysis_words()), also after a signal
// was noted, which ends the search for an interpreter. It returns only if that fails, as above.
int become_analysis(std::vector<std::string> words, std::string_view who);

// An analysis takes seconds, and some minutes for the largest run that can be read. A longer one is
// treated as hanging.
inline constexpr std::chrono::minutes kAnalysisEndsWithin{30};

// Runs the same script in a child process that shares this one's standard streams, and returns its
// exit code. If a signal was noted (signals.h), it ends the child and returns 128 plus the signal's
// number. Fails if the child cannot be started (the message says what to install), does not end in
// time, or crashes.
absl::StatusOr<int> run_analysis(const std::string& name, const std::vector<std::string>& arguments,
                                 std::chrono::steady_clock::duration at_most = kAnalysisEndsWithin);

namespace internal {

// The modules that a script says it needs, by its line `modules.need("name", "pandas", …)`.
std::vector<std::string> modules_needed(std::string_view script);

}  // namespace internal

}  // namespace lockbench

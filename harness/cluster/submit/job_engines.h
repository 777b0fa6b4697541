// SPDX-License-Identifier: Apache-2.0

// JobEngines: what `submit` and `doctor --nodes` both need from Slurm and from GNU parallel.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace lockbench {

// The controller of a large cluster may answer slowly.
inline constexpr std::chrono::minutes kEngineAnswersWithin{5};

// The output of a command; `input` is its standard input. FailedPrecondition has the command's
// error message, or says that it took too long.
absl::StatusOr<std::string> output_of(const std::vector<std::string>& words,
                                      std::chrono::seconds within = kEngineAnswersWithin,
                                      std::string input = {});

// OK if the program `parallel` is GNU's. NotFound ends with `otherwise`, which says what to do
// without it.
absl::Status check_for_parallel(std::string_view otherwise);

// The lines of a --sshloginfile that name a host, without leading and trailing blanks; at least
// one.
absl::StatusOr<std::vector<std::string>> hosts_in(const std::filesystem::path& file);

// The command with which a job starts its only task, so that the task may use each processor of the
// job. `processors` is a word for the shell: the variable that contains their number.
std::string srun_of_task(std::string_view processors);

}  // namespace lockbench

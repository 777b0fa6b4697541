// SPDX-License-Identifier: Apache-2.0

// JobEngines: what `submit` and `doctor --nodes` both ask of Slurm and of GNU parallel.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace lockbench {

// The controller of a large cluster may take its time.
inline constexpr std::chrono::minutes kEngineAnswersWithin{5};

// What a command printed; `input` is its standard input. FailedPrecondition has what it complained
// of, or that it took too long.
absl::StatusOr<std::string> output_of(const std::vector<std::string>& words,
                                      std::chrono::seconds within = kEngineAnswersWithin,
                                      std::string input = {});

// OK if the program `parallel` is GNU's. NotFound ends with `otherwise`, what to do without it.
absl::Status check_for_parallel(std::string_view otherwise);

// The lines of a --sshloginfile that name a host, without the blanks around them; at least one.
absl::StatusOr<std::vector<std::string>> hosts_in(const std::filesystem::path& file);

// How a job starts its only task, so that it may use each processor of the job. `processors` is a
// word for the shell: the variable that has their number.
std::string srun_of_task(std::string_view processors);

}  // namespace lockbench

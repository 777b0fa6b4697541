// SPDX-License-Identifier: Apache-2.0

// Child: measures a trial in a process of its own.
//
// A primitive that hangs or crashes affects only its own row: in every case the parent gets a
// sample that says what happened.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/measure/sample.h"
#include "harness/bench/plan/cell.h"
#include "harness/process/child_process.h"

namespace lockbench {

// The process of a trial is killed this long after the trial's own time limit.
inline constexpr Nanoseconds kGrace = std::chrono::seconds(10);

// The file of `lockbench`, which measures trials: if it is this program, even if a newer build has
// replaced it, because one build measures all trials of a run.
std::filesystem::path trial_program();

// Runs `program trial --parent <this process>` and `flags`, with the trial on its standard input.
// `--processors` is added if its threads are bound to processors, because this process knows the
// topology, and reading it takes the child milliseconds. `--plugin` is added if the catalog says
// that a plug-in contains the primitive. Fails with Internal if no process could be created.
// Requires that SIGPIPE is ignored.
absl::StatusOr<ChildResult> run_trial_child(const std::filesystem::path& program,
                                            const Trial& trial,
                                            const std::vector<std::string>& flags,
                                            Nanoseconds grace = kGrace);

// The same without flags, and reads the sample that the process prints. If the process crashes, its
// standard error becomes the reason. Fails with Cancelled if a signal was noted (signals.h): the
// child has then been killed, and there is no sample. Fails as run_trial_child() does.
absl::StatusOr<Sample> measure_in_child(const std::filesystem::path& program, const Trial& trial,
                                        Nanoseconds grace = kGrace);

// The same for any program that reads a trial and prints its sample; `words`: its name and its
// arguments.
absl::StatusOr<Sample> sample_of_child(const std::filesystem::path& program,
                                       std::vector<std::string> words, const Trial& trial,
                                       Nanoseconds grace = kGrace);

}  // namespace lockbench

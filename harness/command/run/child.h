// SPDX-License-Identifier: Apache-2.0

// Child: measures a trial in a process of its own.
//
// A primitive that hangs or crashes costs its own row: whatever becomes of the child, the parent
// gets a sample that says so.
#pragma once

#include <filesystem>

#include <absl/status/statusor.h>

#include "harness/measure/sample.h"
#include "harness/plan/cell.h"

namespace lockbench {

// How long after a trial's own limit its process is killed.
inline constexpr Nanoseconds kGrace = std::chrono::seconds(10);

// This program, even when its file was replaced meanwhile by a newer build: all trials of a run are
// measured by one.
inline constexpr char kThisProgram[] = "/proc/self/exe";

// Runs `program trial --parent <this process>`, and `--plugin` where the catalog says that the
// primitive comes from one, with the trial on its standard input, and reads the
// sample it prints. What it prints on standard error becomes the reason of a crash. Fails with
// Cancelled when a signal was noted meanwhile (signals.h): then the child has been killed and there
// is no sample; with Internal when no process could be made. Requires SIGPIPE ignored.
absl::StatusOr<Sample> measure_in_child(const std::filesystem::path& program, const Trial& trial,
                                        Nanoseconds grace = kGrace);

}  // namespace lockbench

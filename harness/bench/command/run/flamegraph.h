// SPDX-License-Identifier: Apache-2.0

// Flamegraph: measures a trial while `perf record` samples the stacks of its threads, and has a
// script draw where the processor time went.
//
// The event is cpu-clock, which every machine has, also a virtual one without counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "harness/bench/plan/cell.h"

namespace lockbench {

// How often a second each processor is sampled. A sample contains a copy of a part of the stack, so
// a long trial on many processors is sampled less often. Pure.
std::uint32_t stack_samples_per_s(double trial_s, std::uint32_t busy_processors);

// Measures the trial in a child process, prints its sample to `out`, and writes the picture (SVG)
// to `file`. `plugins`: files that the child loads. Returns the exit code: 0 if there is a picture;
// 1 if perf failed, or the script did; 2 if there is no `perf`, or it may not record here, or no
// folder for the file. Requires a trial that trial_command() has checked.
int trial_with_flamegraph(const Trial& trial, const std::vector<std::string>& plugins,
                          const std::filesystem::path& file, std::ostream& out, std::ostream& err);

}  // namespace lockbench

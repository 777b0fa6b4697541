// SPDX-License-Identifier: Apache-2.0

// `lockbench trial`: the code in the child process of child.h.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/bench/measure/pinning.h"

namespace lockbench {

struct TrialOptions {
  pid_t parent = 0;       // the process that started this one and reads its output; if it dies, the
                          // kernel ends this process. 0: this process does not depend on a parent
  Placement placed;       // as the parent placed the threads; empty: this process places them
  bool only_try = false;  // makes the primitive and the workload, and measures nothing
  std::optional<std::filesystem::path> flamegraph;  // draws where the time went (flamegraph.h)
};

// Reads a trial as JSON, measures it in this process, and prints the sample as JSON. Returns the
// exit code: 0 if a sample was printed, whatever its contents; 2 for a trial that cannot be read or
// created, and with only_try if a service that it needs cannot be used. If threads are still inside
// the primitive, it does not return but exits with _exit(0). With `flamegraph`, a child process
// measures, and flamegraph.h defines the exit code. `plugins`: files that this process
// loads; if they do not contain the primitive, those of LOCKBENCH_PLUGIN_PATH are loaded, too.
int trial_command(const TrialOptions& options, const std::vector<std::string>& plugins,
                  std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// The servers of a run, each for this run alone or named by the user.
//
// Where a server comes from, in this order: --service NAME=HOST:PORT; the environment variable
// LOCKBENCH_<NAME>, which may contain a password; a private server, which is ended after the run.
// The processes of the trials find the addresses in that environment variable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/command/run/run_servers.h"
#include "harness/bench/plan/cell.h"

namespace lockbench {

// As StartServers. Then makes each primitive that needs a service once, in a process of its own, so
// that a server that cannot be used is reported before anything is measured. InvalidArgument if a
// service is unknown, a server cannot be used, or too few are named.
absl::StatusOr<std::unique_ptr<RunServers>> start_run_services(
    const std::vector<Trial>& trials, const std::vector<std::string>& named);

}  // namespace lockbench

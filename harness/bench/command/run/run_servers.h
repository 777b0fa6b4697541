// SPDX-License-Identifier: Apache-2.0

// RunServers: the servers that the primitives of a plan need, for the time of a run.
//
// A program that can start them says "servers" in what it adds to `run`
// (harness/process/command_programs.h). It is started with the word `serve` and the request, prints
// one line, and ends the servers when its standard input ends, so also if this process is killed:
//
//   {"needed": {"etcd": {"servers": 3, "sizes": [3]}}, "named": ["redis=localhost:6379"]}
//   {"environment": {"LOCKBENCH_ETCD": "127.0.0.1:…"}}      or {"error": "…"}
//
// `sizes`: of all primitives of the plan; `named`: the values of --service. The environment tells
// the processes of the trials where the servers are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"

namespace lockbench {

class RunServers {
 public:
  RunServers() = default;
  // Ends those that were started.
  virtual ~RunServers() = default;
  RunServers(const RunServers&) = delete;
  RunServers& operator=(const RunServers&) = delete;
};

// `named`: NAME=HOST:PORT. Starts what the trials need and no address was given for. Then makes
// each primitive that needs a server once, in a process of its own, so that a server that cannot be
// used is reported before anything is measured. Null if no server is needed. InvalidArgument, with
// one line, if that cannot be done, or if no program can start servers.
absl::StatusOr<std::unique_ptr<RunServers>> start_servers(const std::vector<Trial>& trials,
                                                          const std::vector<std::string>& named);

}  // namespace lockbench

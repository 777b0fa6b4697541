// SPDX-License-Identifier: Apache-2.0

// RunServers: the servers that the primitives of a plan need, for the time of a run. How they are
// started is of the folder that offers it; without one, only plans without servers can run.
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

// `named`: the values of --service, NAME=HOST:PORT. Starts what the trials need and no address was
// given for. InvalidArgument, with one line, if that cannot be done, or if there is no such server.
using StartServers = absl::StatusOr<std::unique_ptr<RunServers>> (*)(
    const std::vector<Trial>& trials, const std::vector<std::string>& named);

// Called at most once, when the commands are added (harness/cli/command.h).
void offer_servers(StartServers start);

// As the function that was offered.
absl::StatusOr<std::unique_ptr<RunServers>> start_servers(const std::vector<Trial>& trials,
                                                          const std::vector<std::string>& named);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// RunServices: the servers that the primitives of a plan need, for the time of a run.
//
// Where a server comes from, in this order: --service NAME=HOST:PORT; the environment variable
// LOCKBENCH_<NAME>, which may contain a password; a private server, which is ended after the run.
// The processes of the trials find the addresses in that environment variable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/plan/cell.h"
#include "harness/process/private_server.h"

namespace lockbench {

class RunServices {
 public:
  // `named`: the values of --service. Starts what the trials need and no address was given for.
  // Then makes each primitive that needs a service once, in a process of its own, so that a server
  // that cannot be used is reported before anything is measured. InvalidArgument, with one line,
  // if a service is unknown, a server cannot be used, or too few are named.
  static absl::StatusOr<RunServices> start(const std::vector<Trial>& trials,
                                           const std::vector<std::string>& named);

 private:
  std::vector<std::unique_ptr<PrivateServer>> servers_;
};

}  // namespace lockbench

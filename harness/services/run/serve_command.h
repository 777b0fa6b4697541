// SPDX-License-Identifier: Apache-2.0

// `lockbench-services serve`: the servers of a run, each for this run alone or named by the user.
//
// Where a server comes from, in this order: --service NAME=HOST:PORT; the environment variable
// LOCKBENCH_<NAME>, which may contain a password; a private server, which is ended after the run.
#pragma once

#include <string>

namespace lockbench {

// Starts what the request needs, prints where it is, and ends it when the standard input ends.
// harness/bench/command/run/run_servers.h has the request and the answer. Returns the exit code.
int serve_command(const std::string& request);

}  // namespace lockbench

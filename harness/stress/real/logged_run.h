// SPDX-License-Identifier: Apache-2.0

// LoggedRun: native threads at a suspect of their own, once, in a process that may crash or hang;
// and what was seen of them.
#pragma once

#include <cstdint>
#include <string>

#include "harness/stress/chronicle.h"
#include "harness/stress/client.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::real {

struct RunPlan {
  Client client;             // without A: threads do their acts over and over
  std::uint32_t passes = 1;  // so often
  bool yields = false;
  std::uint64_t seed = 1;
};

struct LoggedRun {
  Chronicle chronicle;
  std::string ended_badly;  // how the process came to an end that no lock may bring it to; or empty
};

// Must be called while this process has one thread. Aborts when there is no process to be had.
LoggedRun run_logged(const Lineup& lineup, const RunPlan& plan);

}  // namespace lockbench::stress::real

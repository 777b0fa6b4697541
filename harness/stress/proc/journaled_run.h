// SPDX-License-Identifier: Apache-2.0

// JournaledRun: processes at a suspect of their own, once; some are killed, or stopped for a while;
// and what was seen of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/stress/chronicle.h"
#include "harness/stress/client.h"
#include "harness/stress/proc/mode.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::proc {

// What a run does to its processes, of what nemeses do.
struct RunPlan {
  Client client;             // without A: processes do their acts over and over
  std::uint32_t passes = 1;  // so often
  Fate fate = Fate::kNone;   // kNone, kKill, kStop or kRecycle
  bool yields = false;
  std::uint64_t seed = 1;
};

struct Strikes {
  std::uint64_t killed = 0;
  std::uint64_t killed_inside = 0;  // as far as was seen
  std::uint64_t stopped = 0;
  std::uint64_t stopped_inside = 0;
  std::uint64_t recycled = 0;
};

struct JournaledRun {
  // All that may have happened, the likeliest first; at least one.
  std::vector<Chronicle> readings;
  std::string ended_badly;  // how a process came to an end that no lock may bring it to; or empty
  Strikes strikes;
};

// At least one process is left alive. Must be called while this process has one thread. Aborts when
// there is no process to be had.
JournaledRun run_journaled(const Lineup& lineup, const RunPlan& plan);

}  // namespace lockbench::stress::proc

// SPDX-License-Identifier: Apache-2.0

// Cycle: threads must not wait for each other in a cycle. stall.cc analyzes why threads are stalled
// and reports this oracle, progress, independence or model.
#pragma once

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Cycle {
  static constexpr std::string_view kName = "cycle";
  static constexpr std::string_view kDescription = "Threads wait for each other in a cycle.";

  static bool needed(const EngineTraits& engine, const Abilities&) { return engine.one_process; }

  static CheckResult check(const Ended&) { return passed(); }
};

}  // namespace lockbench::stress::oracles

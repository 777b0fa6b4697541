// SPDX-License-Identifier: Apache-2.0

// Net: what the lock does, its Petri net can do. The trace checker finds that out
// (conformance/trace_checker.h).
#pragma once

#include "harness/stress/oracles/oracle.h"

namespace lockbench::stress::oracles {

struct Net {
  static constexpr std::string_view kName = "net";
  static constexpr std::string_view kDescription =
      "The lock does what its [Petri net](petri.md) cannot do: `lockbench model keyed --conform`.";

  static bool needed(EngineId, const Abilities&) { return false; }
};

}  // namespace lockbench::stress::oracles

// SPDX-License-Identifier: Apache-2.0

// Net: the net of the lock must be able to do what the lock does. What checks an order's net
// decides this (lockbench_net_check() in cmake/parts.cmake).
#pragma once

#include "harness/stress/oracles/oracle.h"

namespace lockbench::stress::oracles {

struct Net {
  static constexpr std::string_view kName = "net";
  static constexpr std::string_view kDescription =
      "The lock does what its [Petri net](petri.md) cannot do: `lockbench model keyed --conform`.";

  static bool needed(const EngineTraits&, const Abilities&) { return false; }
};

}  // namespace lockbench::stress::oracles

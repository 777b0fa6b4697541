// SPDX-License-Identifier: Apache-2.0

// Which locks of a net the keys of a suspect belong to.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/conformance/judge.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/sim/world.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::sim {

// Where neither the suspect's promises nor the net tell, it is tried which keys keep each other
// out. InvalidArgument: the net lets more or fewer in than the suspect, has more locks than keys
// belong to, or more threads than can be simulated.
absl::StatusOr<KeyMap> map_keys(World& world, const Lineup& lineup, const WatchedNet& net);

}  // namespace lockbench::stress::sim

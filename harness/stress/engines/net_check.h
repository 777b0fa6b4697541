// SPDX-License-Identifier: Apache-2.0

// net_check(): the check of a lock against a net, of the engine that this program is. The build
// makes it from the line lockbench_net_check() of the folder that has the check.
#pragma once

#include "harness/stress/engine_program.h"

namespace lockbench {

// Empty if no folder has one for this engine.
stress::Engine net_check();

}  // namespace lockbench

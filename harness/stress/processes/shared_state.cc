// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/shared_state.h"

#include "primitives/platform/clock.h"

namespace lockbench::stress::processes {

std::int64_t now_ns() {
  return platform::now().time_since_epoch().count();
}

}  // namespace lockbench::stress::processes

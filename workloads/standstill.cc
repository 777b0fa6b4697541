// SPDX-License-Identifier: Apache-2.0

#include "workloads/standstill.h"

#include "primitives/platform/standstill.h"

namespace lockbench {

void stand_still(std::chrono::milliseconds time) {
  platform::stand_still(time);
}

}  // namespace lockbench

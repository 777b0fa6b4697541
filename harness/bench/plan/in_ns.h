// SPDX-License-Identifier: Apache-2.0

// Durations as numbers: what a cell needs is computed in nanoseconds and their fractions.
#pragma once

#include "harness/base/quantity.h"

namespace lockbench {

inline double in_ns(Nanoseconds duration) {
  return static_cast<double>(duration.count());
}

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// Standstill: this process stops as a machine does that is suspended: with all its threads, and
// without knowing.
#pragma once

#include <chrono>

namespace lockbench {

// Returns when about `time` is over. Does nothing if no process can be started.
// Requires: nothing else waits for children of this process.
void stand_still(std::chrono::milliseconds time);

}  // namespace lockbench

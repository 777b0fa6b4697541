// SPDX-License-Identifier: Apache-2.0

// `lockbench observe --pid`: what a process that runs already does with its locks, as far as the
// kernel sees it.
#pragma once

#include <ostream>

#include "harness/observe/command/observe_command.h"

namespace lockbench {

// 0, kBadInput or kCouldNotFinish. The process is neither stopped nor changed.
int attach_command(const ObserveOptions& options, std::ostream& err);

namespace internal {

// Why this process may not watch others through BPF, and what would be right; empty: it may.
std::string obstacle_to_attaching();

}  // namespace internal

}  // namespace lockbench

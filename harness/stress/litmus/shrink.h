// SPDX-License-Identifier: Apache-2.0

// Shrinking: the programs that are one step smaller than a given one. Pure.
#pragma once

#include <vector>

#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

// The program without its key set or its warm-up, without one of its threads, in order; and without
// one hold (what lies inside of it stays), sleep, wait for a thread or foreign unlock. None of them
// has no acts at all.
std::vector<LitmusProgram> smaller_programs(const LitmusProgram& program);

// The program without the thread, and without the acts that wait for the end of that thread.
LitmusProgram without_thread(const LitmusProgram& program, std::size_t thread);

}  // namespace lockbench::stress

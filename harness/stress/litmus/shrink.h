// SPDX-License-Identifier: Apache-2.0

// Shrinking: the programs that are one step smaller than a given one. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

struct SmallerProgram {
  LitmusProgram program;
  std::optional<std::size_t> without = {};  // the thread that was removed from the larger program
};

// The programs that do less, in this order: without the key set or the warm-up; without one of the
// threads; without one hold (the acts inside of it stay), sleep, wait for a thread or foreign
// unlock; with one act replaced by a simpler one (L of one key for B, L for T and W, U for E); with
// the lowest keys. Each of them has at least one act, and is one that a correct lock with these
// abilities serves. Readers stay readers.
std::vector<SmallerProgram> smaller_programs(const LitmusProgram& program,
                                             const Abilities& abilities);

// The program without the thread and without the acts that wait for the end of that thread.
LitmusProgram without_thread(const LitmusProgram& program, std::size_t thread);

}  // namespace lockbench::stress

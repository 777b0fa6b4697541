// SPDX-License-Identifier: Apache-2.0

// Litmus programs that do what the threads of a net can do, so that their traces can be checked
// against the net.
#pragma once

#include <cstdint>
#include <random>

#include "harness/petri/conformance/trace_checker.h"
#include "harness/petri/conformance/watched_net.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress {

// True if each thread's acts, in this order, are something that the net's thread can do.
bool fits(const WatchedNet& net, const KeyMap& keys, const LitmusProgram& program);

// A program with `threads` threads that walk `rounds` times through the net at random. If the lock
// supports it, nested locks may be acquired together, and outermost locks may be tried. Requires:
// each lock has a key.
LitmusProgram generate_program(const WatchedNet& net, const KeyMap& keys,
                               const Abilities& abilities, std::uint32_t threads,
                               std::uint32_t rounds, std::mt19937_64& random);

}  // namespace lockbench::stress

// SPDX-License-Identifier: Apache-2.0

// Programs that do what a net's threads may do, so that what is seen of them can be held against
// it.
#pragma once

#include <cstdint>
#include <random>

#include "harness/stress/conformance/trace_checker.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress {

// Whether each thread's acts are, in this order, something that the net's thread can do.
bool fits(const WatchedNet& net, const KeyMap& keys, const LitmusProgram& program);

// `threads` threads that go `rounds` times round the net at random; nested locks may be taken at
// once, and outer ones tried for, where the lock can do that. Requires a key for each lock.
LitmusProgram generate_program(const WatchedNet& net, const KeyMap& keys,
                               const Abilities& abilities, std::uint32_t threads,
                               std::uint32_t rounds, std::mt19937_64& random);

}  // namespace lockbench::stress

// SPDX-License-Identifier: Apache-2.0

// Clients that do what a net's threads may do, so that what is seen of them can be held against it.
#pragma once

#include <cstdint>
#include <random>

#include "harness/stress/client.h"
#include "harness/stress/conformance/judge.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress {

// Whether each thread's acts are, in this order, something that the net's thread can do.
bool fits(const WatchedNet& net, const KeyMap& keys, const Client& client);

// `threads` threads that go `rounds` times round the net at random; nested locks may be taken at
// once, and outer ones tried for, where the suspect can do that. Requires a key for each lock.
Client draw_client(const WatchedNet& net, const KeyMap& keys, const Abilities& abilities,
                   std::uint32_t threads, std::uint32_t rounds, std::mt19937_64& random);

}  // namespace lockbench::stress

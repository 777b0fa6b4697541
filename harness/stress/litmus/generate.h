// SPDX-License-Identifier: Apache-2.0

// Programs that fit a lock: generated from a seed, or from a list of small ones. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

struct ProgramSize {
  std::uint32_t threads = 2;
  std::uint32_t keys = 2;
  std::uint32_t holds = 2;  // of each thread, nested ones not counted
  // One thread holds a key until another thread has ended, and nothing is nested. A waiter whose
  // wake-up is lost then stays asleep: no later release wakes it by chance. Only where can_await().
  bool awaits = false;
};

// Fails with InvalidArgument, saying where, what, and what would be right, if the text is no
// program or has an act that a lock with these abilities does not offer.
absl::StatusOr<LitmusProgram> program_for(const Abilities& abilities, const std::string& text);

// Whether a thread can hold a key while others run to their end: keys have locks of their own, or
// there is more than one lease.
bool can_await(const Abilities& abilities);

// A program that a correct lock always serves to its end, under every schedule.
LitmusProgram generate_program(const Abilities& abilities, ProgramSize size, std::uint64_t seed);

// The small programs that are explored exhaustively, simplest first: `first`, which are texts; then
// 2 threads, 2 keys and 2 holds each or less, in the shapes that the abilities allow, and a few
// with more threads, which do less.
std::vector<LitmusProgram> programs_for(const Abilities& can,
                                        const std::vector<std::string>& first);

}  // namespace lockbench::stress

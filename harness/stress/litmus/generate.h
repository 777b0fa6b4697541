// SPDX-License-Identifier: Apache-2.0

// Litmus programs that suit the abilities of a lock: generated from a seed, or from a list of small
// programs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/litmus/lock_limits.h"
#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

struct ProgramSize {
  std::uint32_t threads = 2;
  std::uint32_t keys = 2;
  std::uint32_t holds = 2;  // by each thread, without nested holds
  // One thread holds a key until another thread has ended, and no holds are nested. So a waiter
  // that lost its wake-up stays asleep: no later release wakes it by chance. Requires can_await().
  bool awaits = false;
};

// Fails with InvalidArgument if the text is not a program, or has an act that a lock with these
// abilities does not offer. The message says where, what is wrong and what is valid.
absl::StatusOr<LitmusProgram> program_for(const Abilities& abilities, const std::string& text);

// How many different keys the generated programs name, so that the lock has room for all of them.
std::uint32_t most_named_keys(const LockLimits& limits);

// True if a thread can hold a key while others run until they end: each key has its own lock, or
// there is more than one lease.
bool can_await(const Abilities& abilities);

// A program in which a correct lock always serves every thread until it ends, under every schedule.
LitmusProgram generate_program(const Abilities& abilities, ProgramSize size, std::uint64_t seed);

// A program of three or four threads that repeat a few acts up to 16 times: for faults that need
// several threads, each at a certain point, which they seldom reach together in one pass.
LitmusProgram generate_busy_program(const Abilities& abilities, std::uint64_t seed);

// A program of two or three threads that repeat a few acts some hundred times, in half of the cases
// over many keys: for faults that show at the hundredth hold, when a table grows, or with two of
// many keys.
LitmusProgram generate_long_program(const Abilities& abilities, std::uint64_t seed);

// The small programs that are explored exhaustively, simplest first. First come the texts in
// `first`; then programs with at most 2 threads, 2 keys and 2 holds by each thread, in the forms
// that the abilities allow; then a few programs with more threads, each of which does less.
std::vector<LitmusProgram> programs_for(const Abilities& can,
                                        const std::vector<std::string>& first);

// The highest limit of bypasses that a program of programs_for() is certain to exceed, if the lock
// does.
inline constexpr std::uint32_t kMostPassesShown = 60;

// True if these programs have as many threads as it takes to see in which order a fair lock serves
// those that wait: all holders that a key can have at once, and two that wait, or one and a holder
// that requests the key again.
bool shows_order_of_arrival(const Abilities& can);

}  // namespace lockbench::stress

// SPDX-License-Identifier: Apache-2.0

// Promises: what a lock promises, as constants that the lock declares. A base lock, a lock by key
// and a plug-in do so in the same way:
//
//   static constexpr lockbench::Promises kPromises{.fair = true, .strong_try = true};
//
// `lockbench run` refuses a cell whose workload requires what its primitive does not promise.
// `lockbench stress` checks the promises: a new one is a member and its part in keep_promises_of(),
// both here, and an oracle (harness/stress/oracles/). In C, lockbench_c_promises has the same
// members.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace lockbench {

// Everything that a lock excludes: other threads of this process, other processes, all clients of a
// service (service.h), on any machine.
enum class Scope { kThread, kProcess, kService };

// In which order a lock serves readers and writers that wait.
enum class ReadersOrder : std::uint8_t {
  kNone,          // in any order
  kTaskFair,      // first come, first served; readers that follow each other are inside together
  kPhaseFair,     // readers and writers take turns: a reader waits for one writer at most, writers
                  // are served in the order in which they came
  kWritersFirst,  // no reader is served while a writer waits that waited before it
};

// The limits of a lock, if its author documents them. Beyond them the lock may do anything, so the
// engines stay within them. 0: no limit.
struct LockLimits {
  // How many threads or processes may hold or request it at once. One more may have used it
  // before: the one that made it.
  std::uint32_t threads = 0;
  std::uint32_t keys = 0;            // how many different keys may be held or requested at once
  std::uint32_t keys_of_thread = 0;  // how many different keys one thread may hold at once
  std::uint64_t keys_below = 0;      // each key is a number below this
  // For a lock whose keys are names: they are words. None is empty, none has a zero byte, and no
  // two differ only in case, in blanks at the end or in zeros at the beginning.
  bool plain_names = false;
  // For a lock between processes: no process is killed while it holds or requests the lock.
  bool no_kills = false;

  constexpr bool operator==(const LockLimits&) const = default;
  constexpr bool any() const { return *this != LockLimits(); }

  // True if a test is possible within them: two threads can meet, and there is a second key that
  // nobody uses.
  constexpr bool leave_room() const { return threads != 1 && keys_below != 1; }
};

struct Promises {
  bool excludes = true;       // false for `none` alone
  bool lock_per_key = false;  // two different keys never wait for each other, whatever their hashes
  bool one_lock = false;      // every two keys wait for each other
  bool reentrant = false;     // the holder may lock again
  bool timed = false;         // handles are TimedLockable
  bool fair = false;          // first come, first served
  Scope scope = Scope::kThread;
  bool fallible = false;  // lock() may throw ServiceError (service.h); it then holds nothing
  bool expires = false;   // a hold may end before unlock(), whether or not others wait
  // try_lock() succeeds while fewer than capacity() threads hold, and no other one is in a call.
  bool strong_try = false;
  bool refuses_non_owners = false;  // unlock() by a thread that does not hold has no effect
  // A longer hold may lose the key to a thread that waits; 0: no hold is ever taken away.
  std::chrono::nanoseconds hold_limit{0};
  // For a reentrant lock: how many times one thread can hold the lock at once. 0: no limit.
  std::uint32_t depth = 0;
  // A thread that forks while it holds may release the lock in the child, and use it there again.
  bool survives_fork = false;
  // For a base lock: how many threads may hold it at once. A keyed lock has capacity() instead.
  std::uint32_t capacity = 1;
  // The order of a lock that readers share. With `fair` and without this, kTaskFair.
  ReadersOrder readers_order = ReadersOrder::kNone;
  // Bounded bypass: a thread that waits is passed at most so often by threads that came after it.
  // 0: no limit. A lock that is `fair` lets nobody pass.
  std::uint32_t bypass_limit = 0;
  // Litmus programs (docs/stress-engines.md) that engines run before all others, separated by `;`.
  std::string_view programs = {};
  // Its limits, such as {.threads = 8, .keys = 16}.
  LockLimits limits = {};
};

// Adds what a lock that is made of a base lock keeps of the promises of the base lock.
constexpr void keep_promises_of(const Promises& base, Promises& made) {
  // A promise that is new does not compile until it is named here.
  const auto& [excludes, lock_per_key, one_lock, reentrant, timed, fair, scope, fallible, expires,
               strong_try, refuses_non_owners, hold_limit, depth, survives_fork, capacity,
               readers_order, bypass_limit, programs, limits] = base;
  made.reentrant |= reentrant;
  made.fair |= fair;
  made.strong_try |= strong_try;
  made.refuses_non_owners |= refuses_non_owners;
  made.survives_fork |= survives_fork;
  if (hold_limit.count() != 0) made.hold_limit = hold_limit;
  if (depth != 0) made.depth = depth;
  if (capacity != 1) made.capacity = capacity;
  if (readers_order != ReadersOrder::kNone) made.readers_order = readers_order;
  if (bypass_limit != 0) made.bypass_limit = bypass_limit;
  if (limits.any()) made.limits = limits;
  // The others are up to the lock that is made.
}

}  // namespace lockbench

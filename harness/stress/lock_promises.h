// SPDX-License-Identifier: Apache-2.0

// LockPromises: all promises that a lock of a plug-in can declare, in one place: those that
// `lockbench run` uses (primitives/concepts.h) and those that only `lockbench stress` checks. Base
// locks and keyed locks declare them in the same way:
//
//   static constexpr lockbench::LockPromises kPromises{.fair = true, .strong_try = true};
//
// In C, lockbench_c_promises has the same members.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stress/litmus/lock_limits.h"
#include "harness/stress/litmus/readers_order.h"
#include "primitives/concepts.h"

namespace lockbench {

struct LockPromises {
  // These members are the same as in Promises.
  bool excludes = true;
  bool lock_per_key = false;
  bool one_lock = false;
  bool reentrant = false;
  bool timed = false;
  bool fair = false;
  Scope scope = Scope::kThread;
  bool fallible = false;
  bool expires = false;
  bool strong_try = false;
  bool refuses_non_owners = false;
  std::chrono::nanoseconds hold_limit{0};

  // For a reentrant lock: how many times one thread can hold the lock at once. 0: no limit.
  std::uint32_t depth = 0;
  // A thread that forks while it holds may release the lock in the child, and use it there again.
  bool survives_fork = false;
  // For a base lock: how many threads may hold it at once. A keyed lock has capacity() instead.
  std::uint32_t capacity = 1;
  // Of a lock that readers share. With `fair` and without this, kTaskFair.
  ReadersOrder readers_order = ReadersOrder::kNone;
  // Bounded bypass: a thread that waits is passed at most so often by threads that came after it.
  // 0: no limit. A lock that is `fair` lets nobody pass.
  std::uint32_t bypass_limit = 0;
  // Litmus programs (docs/stress.md) that the engines run before all others, separated by `;`.
  std::string_view programs = {};
  // What it has room for, such as {.threads = 8, .keys = 16}.
  LockLimits limits = {};

  constexpr operator Promises() const {  // NOLINT: implicit by intent
    return {.excludes = excludes,
            .lock_per_key = lock_per_key,
            .one_lock = one_lock,
            .reentrant = reentrant,
            .timed = timed,
            .fair = fair,
            .scope = scope,
            .fallible = fallible,
            .expires = expires,
            .strong_try = strong_try,
            .refuses_non_owners = refuses_non_owners,
            .hold_limit = hold_limit};
  }
};

// The same promises for a primitive that declares only Promises.
constexpr LockPromises lock_promises(const Promises& promises) {
  return {.excludes = promises.excludes,
          .lock_per_key = promises.lock_per_key,
          .one_lock = promises.one_lock,
          .reentrant = promises.reentrant,
          .timed = promises.timed,
          .fair = promises.fair,
          .scope = promises.scope,
          .fallible = promises.fallible,
          .expires = promises.expires,
          .strong_try = promises.strong_try,
          .refuses_non_owners = promises.refuses_non_owners,
          .hold_limit = promises.hold_limit};
}
constexpr LockPromises lock_promises(const LockPromises& promises) {
  return promises;
}

namespace stress {

// The litmus programs that `promises` lists, one in each element.
inline std::vector<std::string> programs_in(const LockPromises& promises) {
  std::vector<std::string> programs;
  for (std::string_view rest = promises.programs; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string_view program = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    program.remove_prefix(std::min(program.find_first_not_of(" \n"), program.size()));
    if (!program.empty()) programs.emplace_back(program);
  }
  return programs;
}

}  // namespace stress
}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// LockPromises: all that a lock of a plug-in may promise, in one place: what `lockbench run` asks
// for (primitives/concepts.h), and what `lockbench stress` checks besides. Base locks and keyed
// locks say it alike:
//
//   static constexpr lockbench::LockPromises kPromises{.fair = true, .strong_try = true};
//
// In C the same members are those of lockbench_c_promises.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/concepts.h"

namespace lockbench {

struct LockPromises {
  // As in Promises.
  bool excludes = true;
  bool lock_per_key = false;
  bool one_lock = false;
  bool reentrant = false;
  bool timed = false;
  bool fair = false;
  Scope scope = Scope::kThread;
  bool strong_try = false;
  bool refuses_non_owners = false;
  std::chrono::nanoseconds hold_limit{0};

  // Where reentrant: a thread holds the lock at most so often at once; 0: without a limit.
  std::uint32_t depth = 0;
  // Of a base lock: so many threads may hold it at once. A keyed lock has capacity() for that.
  std::uint32_t capacity = 1;
  // Litmus programs (docs/stress.md) that the engines run before all others, separated by `;`.
  std::string_view programs = {};

  constexpr operator Promises() const {  // NOLINT: it is one, with more to it
    return {.excludes = excludes,
            .lock_per_key = lock_per_key,
            .one_lock = one_lock,
            .reentrant = reentrant,
            .timed = timed,
            .fair = fair,
            .scope = scope,
            .strong_try = strong_try,
            .refuses_non_owners = refuses_non_owners,
            .hold_limit = hold_limit};
  }
};

// The same of what a primitive promises that says no more.
constexpr LockPromises lock_promises(const Promises& promises) {
  return {.excludes = promises.excludes,
          .lock_per_key = promises.lock_per_key,
          .one_lock = promises.one_lock,
          .reentrant = promises.reentrant,
          .timed = promises.timed,
          .fair = promises.fair,
          .scope = promises.scope,
          .strong_try = promises.strong_try,
          .refuses_non_owners = promises.refuses_non_owners,
          .hold_limit = promises.hold_limit};
}
constexpr LockPromises lock_promises(const LockPromises& promises) {
  return promises;
}

namespace stress {

// The programs that `promises` name, one each.
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

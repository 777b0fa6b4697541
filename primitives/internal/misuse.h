// SPDX-License-Identifier: Apache-2.0

// Misuse: how a primitive reports that the program uses it wrongly, for example that it unlocks a
// lock that is not held.
//
// Guarantees   in a debug build (without NDEBUG) check_use() ends the process with a message if the
//              condition is false. In other builds the condition is not evaluated.
//              require_argument() checks in every build.
// Requires     NDEBUG is defined in all translation units of a program, or in none: inline
//              functions that differ violate the one-definition rule. Layouts do not depend on it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "primitives/platform/failure.h"

namespace lockbench::internal {

// A simulation explores what release builds do. The macro is for destructors: one that only checks
// would make a mutex not trivially destructible in a release build.
#if defined(NDEBUG) || defined(LOCKBENCH_SIMULATE)
#define LOCKBENCH_CHECKS_USE 0
#else
#define LOCKBENCH_CHECKS_USE 1
#endif
inline constexpr bool kChecksUse = LOCKBENCH_CHECKS_USE != 0;

// `rule`: the rule that the program violated, as "KeyedMutex: unlock() needs a held handle".
[[noreturn, gnu::noinline, gnu::cold]] inline void report_misuse(const char* rule) noexcept {
  std::fprintf(stderr, "lockbench: misuse: %s\n", rule);
  std::abort();
}

// In every build: throws std::invalid_argument unless a constructor's argument is valid.
inline void require_argument(bool valid, const char* rule) {
  if (!valid) [[unlikely]]
    platform::throw_error(std::invalid_argument(rule));
}

template <class Condition>
void check_use(const Condition& condition, const char* rule) noexcept {
  if constexpr (kChecksUse) {
    if (!condition()) report_misuse(rule);
  }
}

}  // namespace lockbench::internal

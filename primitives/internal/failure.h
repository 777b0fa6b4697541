// SPDX-License-Identifier: Apache-2.0

// Failure: how a primitive reports an error, with exceptions and without.
//
// throw_error()     an error that a correct program can handle, such as a folder that is missing.
//                   Compiled with -fno-exceptions it prints the message and aborts.
// report_misuse()   an error of the program, such as unlock() of a lock that is not held: prints
//                   the message and aborts.
// check_use()       report_misuse() unless a condition holds, in debug builds (without NDEBUG). In
//                   other builds the condition is not evaluated.
//
// Requires     NDEBUG is defined in all translation units of a program, or in none: inline
//              functions that differ violate the one-definition rule. Layouts do not depend on it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace lockbench::internal {

// A simulation explores what release builds do.
#if defined(NDEBUG) || defined(LOCKBENCH_SIMULATE)
inline constexpr bool kChecksUse = false;
#else
inline constexpr bool kChecksUse = true;
#endif

[[noreturn, gnu::noinline, gnu::cold]] inline void abort_with(const char* message) noexcept {
  std::fprintf(stderr, "lockbench: %s\n", message);
  std::abort();
}

template <class Error>
[[noreturn, gnu::noinline, gnu::cold]] void throw_error(Error error) {
#if defined(__cpp_exceptions)
  throw std::move(error);
#else
  abort_with(error.what());
#endif
}

[[noreturn, gnu::noinline, gnu::cold]] inline void report_misuse(const char* message) noexcept {
  std::fputs("lockbench: misuse: ", stderr);
  std::fputs(message, stderr);
  std::fputs("\n", stderr);
  std::abort();
}

template <class Condition>
void check_use(const Condition& condition, const char* message) noexcept {
  if constexpr (kChecksUse) {
    if (!condition()) report_misuse(message);
  }
}

// Calls `action` when the scope ends by an exception or a return before done().
template <class Action>
class Rollback {
 public:
  explicit Rollback(Action action) : action_(std::move(action)) {}
  Rollback(const Rollback&) = delete;
  Rollback& operator=(const Rollback&) = delete;
  ~Rollback() {
    if (!done_) action_();
  }

  void done() noexcept { done_ = true; }

 private:
  Action action_;
  bool done_ = false;
};

}  // namespace lockbench::internal

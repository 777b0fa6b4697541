// SPDX-License-Identifier: Apache-2.0

// Failure: how a primitive reports an error where it cannot go on, with exceptions and without.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace lockbench::platform {

// Prints the message, in one line, and ends the process.
[[noreturn, gnu::noinline, gnu::cold]] inline void abort_with(const char* message) noexcept {
  std::fprintf(stderr, "lockbench: %s\n", message);
  std::abort();
}

// Throws `error`. With -fno-exceptions: abort_with() with the message of `error`.
template <class Error>
[[noreturn, gnu::noinline, gnu::cold]] void throw_error(const Error& error) {
#if defined(__cpp_exceptions)
  throw error;
#else
  abort_with(error.what());
#endif
}

}  // namespace lockbench::platform

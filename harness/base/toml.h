// SPDX-License-Identifier: Apache-2.0

// toml++, without exceptions, for the sources that parse TOML. Include it in few sources: it takes
// long to compile.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// Some texts that are not TOML, for example `[@x]`, fail an assertion in toml++. Without the
// assertion they are errors.
#define TOML_ASSERT(expression) static_cast<void>(0)
// In toml++ 3.3, letters beyond ASCII outside of strings reach code that is marked as unreachable.
// The conditions around that code are false for these letters with either compiler, so they are
// reported as errors, as they should be.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("unreachable"))), apply_to = function)
#endif
#include <toml++/toml.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

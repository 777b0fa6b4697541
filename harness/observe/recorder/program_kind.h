// SPDX-License-Identifier: Apache-2.0

// The check whether the loader of a program can load liblockbench_observe.so. One that cannot would
// say so on the program's standard error, or not start it (musl).
#pragma once

namespace lockbench::observe {

// True if it is not known. Makes system calls, and leaves errno alone. `word`: a path, or a name
// that is searched for in $PATH if `search`.
bool can_load_library(const char* word, bool search);

}  // namespace lockbench::observe

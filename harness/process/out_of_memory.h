// SPDX-License-Identifier: Apache-2.0

// OutOfMemory: what a program says when memory runs out.
#pragma once

#include <string>

namespace lockbench {

// From now on a std::bad_alloc that is not caught, or that leaves a function which must not throw
// (destructors of libraries allocate), ends the program with exit code 1 after one line that begins
// with `who`, "lockbench run". Other reasons to terminate end it as before.
void explain_out_of_memory(const std::string& who);

}  // namespace lockbench

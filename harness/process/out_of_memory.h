// SPDX-License-Identifier: Apache-2.0

// OutOfMemory: the message that a program prints when memory runs out.
#pragma once

#include <string>

namespace lockbench {

// From this call on, a std::bad_alloc that is not caught, or that leaves a function which must not
// throw (destructors of libraries allocate), ends the program with exit code 1 after one line that
// begins with `who`, for example "lockbench run". Other reasons to terminate end the program as
// before.
void explain_out_of_memory(const std::string& who);

}  // namespace lockbench

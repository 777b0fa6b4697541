// SPDX-License-Identifier: Apache-2.0

// The state that a program sets before it works: the message if memory runs out, and settings that
// it may have inherited.
#pragma once

#include <string>

namespace lockbench {

// Opens /dev/null for each standard stream that is closed: otherwise the next file that is opened,
// for example trials.csv, would become standard error and receive its messages. Standard output can
// then not be written, so that a result which reaches nobody is an error, as on a full disk.
// Restores SIGCHLD, which may be ignored, so that children can be waited for. Call it first in
// main().
void restore_inherited_settings();

// From this call on, a std::bad_alloc that is not caught, or that leaves a function which must not
// throw (destructors of libraries allocate), ends the program with exit code 1 after one line that
// begins with `who`, for example "lockbench run". Other reasons to terminate end the program as
// before.
void explain_out_of_memory(const std::string& who);

}  // namespace lockbench

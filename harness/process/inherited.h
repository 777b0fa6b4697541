// SPDX-License-Identifier: Apache-2.0

// Inherited: what a process gets from whoever started it, and cannot be left as it came.
#pragma once

namespace lockbench {

// Opens /dev/null in place of a standard stream that was closed: else the next file opened, a run's
// trials.csv perhaps, would become standard error and get its messages. Lets children be waited
// for, should SIGCHLD have been ignored. Called before anything is opened or started.
void mend_inherited();

}  // namespace lockbench

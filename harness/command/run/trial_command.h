// SPDX-License-Identifier: Apache-2.0

// `lockbench trial`: the child's side of child.h.
#pragma once

#include <iosfwd>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lockbench {

// Reads a trial as JSON, measures it in this process, prints the sample as JSON. Returns the exit
// code: 0 when a sample was printed, whatever it says; 2 for a trial that cannot be read or made.
// Does not return when threads are still inside the primitive: it then leaves by _exit(0).
// `plugins`: files that this process loads; where they lack the primitive, those of
// LOCKBENCH_PLUGIN_PATH, too. `parent`: the process that started this one and reads what it prints;
// when it dies, the kernel ends this one. 0: goes on whoever dies.
int trial_command(pid_t parent, const std::vector<std::string>& plugins, std::istream& in,
                  std::ostream& out, std::ostream& err);

}  // namespace lockbench

// `lockbench trial`: the child's side of child.h.
#pragma once

#include <iosfwd>

namespace lockbench {

// Reads a trial as JSON, measures it in this process, prints the sample as JSON. Returns the exit
// code: 0 when a sample was printed, whatever it says; 2 for a trial that cannot be read or made.
// Does not return when threads are still inside the primitive: it then leaves by _exit(0).
int trial_command(std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// `lockbench doctor`: reports what disturbs measurements on this machine, and what helps.
#pragma once

#include <iosfwd>

namespace lockbench {

// Checks this machine, which takes about a second, and writes the findings to `out`, as JSON or as
// text. Returns the exit code: kFound if there is a problem, else kSuccess.
int doctor_command(bool json, std::ostream& out);

}  // namespace lockbench

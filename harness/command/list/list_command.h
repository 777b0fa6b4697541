// SPDX-License-Identifier: Apache-2.0

// `lockbench list`: what can be named on the command line.
#pragma once

#include <iosfwd>
#include <string>

namespace lockbench {

// `what`: primitives, workloads, presets, targets, or empty for all. Returns the exit code.
int list_command(const std::string& what, std::ostream& out, std::ostream& err);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// `lockbench list`: what can be named on the command line.
#pragma once

#include <iosfwd>
#include <string>

namespace lockbench {

// `what`: primitives, workloads, presets, targets, or empty for all. `show`: of presets the TOML of
// this one; empty: their names. Returns the exit code.
int list_command(const std::string& what, const std::string& show, std::ostream& out,
                 std::ostream& err);

}  // namespace lockbench

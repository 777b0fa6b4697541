// SPDX-License-Identifier: Apache-2.0

// `lockbench calibrate-machine`: measures this machine and writes the file of its model, for
// `lockbench predict --machine`.
#pragma once

#include <iosfwd>
#include <string>

namespace lockbench {

struct CalibrateOptions {
  std::string out;   // the file, ending in .toml; empty: the name and .toml
  std::string name;  // of the machine; empty: the file's, or `here`
};

// Returns the exit code: 0 if the file was written, or has the model of this machine already; 1 if
// it could not be measured or written; 2 if there is another file.
int calibrate_command(const CalibrateOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench

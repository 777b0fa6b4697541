// SPDX-License-Identifier: Apache-2.0

// measure_here: the file of this machine, with progress for people.
#pragma once

#include <iosfwd>
#include <string>

#include <absl/status/statusor.h>

namespace lockbench {

// The name by which commands ask for a calibration of this machine.
inline constexpr char kHere[] = "here";

// The text of the file. Progress goes to `err`: on a terminal, a line that is written over.
absl::StatusOr<std::string> measure_here(const std::string& name, std::ostream& err);

}  // namespace lockbench

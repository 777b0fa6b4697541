// SPDX-License-Identifier: Apache-2.0

// Errors of `lockbench run` about bad input.
#pragma once

#include <iostream>
#include <string>

#include <absl/status/status.h>

#include "harness/plan/printable.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {

// Prints what is wrong and returns the exit code for bad input.
inline int complain(const absl::Status& status) {
  std::cerr << "lockbench run: " << printable(std::string(status.message())) << '\n';
  return kBadInput;
}

}  // namespace lockbench

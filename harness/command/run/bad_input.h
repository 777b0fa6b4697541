// SPDX-License-Identifier: Apache-2.0

// What `lockbench run` says of bad input.
#pragma once

#include <iostream>
#include <string>

#include <absl/status/status.h>

#include "harness/plan/printable.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {

// Says what is wrong; returns the exit code of bad input.
inline int complain(const absl::Status& status) {
  std::cerr << "lockbench run: " << printable(std::string(status.message())) << '\n';
  return kBadInput;
}

}  // namespace lockbench

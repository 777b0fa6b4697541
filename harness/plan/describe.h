// SPDX-License-Identifier: Apache-2.0

// Describe: a cell in one short line for users.
#pragma once

#include <string>

#include "harness/plan/cell.h"

namespace lockbench {

// `striped:stripes=64, counter, 8 threads, 64 keys, hold 200ns`; values that are the default are
// left out.
std::string describe(const Cell& cell);

// A trial of a plan in one line, for --dry-run: `  12  block 0  <cell>  120ms`.
std::string describe(const Trial& trial, Nanoseconds expected);

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// Short texts that stand for longer ones: a cell in one line for users, and the fingerprint of a
// text, which is the same on every machine and in every version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/bench/plan/cell.h"

namespace lockbench {

// `1 thread`, `8 threads`.
std::string counted(std::uint64_t count, std::string_view noun);

// `striped:stripes=64, counter, 8 threads, 64 keys, hold 200ns`; values that are the default are
// left out.
std::string describe(const Cell& cell);

// A trial of a plan in one line, for --dry-run: `  12  block 0  <cell>  120ms`.
std::string describe(const Trial& trial, Nanoseconds expected);

// 16 hexadecimal digits. Texts that differ by accident have different fingerprints. It does not
// protect against texts that are constructed to collide. FNV-1a of 64 bits (G. Fowler, L. C. Noll,
// K.-P. Vo, 1991).
std::string fingerprint(std::string_view text);

}  // namespace lockbench

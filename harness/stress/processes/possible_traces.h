// SPDX-License-Identifier: Apache-2.0

// Readings: what a journal says that processes did; where one was killed, what it may have done.
//
// Whoever is killed while it is seen to hold dies holding: right after the last that it noted, or
// after it was doomed, whichever comes later. It may live a little longer, but does nothing then
// that anybody could see. Two things cannot be seen, and are read both ways:
//   - it was killed while it asked for a lock, which it may have had: usually it had not;
//   - it was killed when it had noted that it gives a lock back, and may have held it still:
//     usually it did not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/litmus/program.h"
#include "harness/stress/processes/journal.h"
#include "harness/stress/trace/trace.h"

namespace lockbench::stress::processes {

// The deeds in their order, in each way that they can be read; first as it usually was. `wanted`:
// per process, the act in which it waited when it ended. Of more than kMostRead who were killed so,
// the others are read as usual. Pure.
inline constexpr std::size_t kMostRead = 4;
std::vector<std::vector<stress::Deed>> possible_traces(
    const std::vector<Record>& records, const std::vector<std::optional<std::uint32_t>>& wanted,
    const LitmusProgram& program);

}  // namespace lockbench::stress::processes

// SPDX-License-Identifier: Apache-2.0

// The state of a simulated thread in the code of a plug-in: its stack and its registers at the call
// that brought it into this program. If a thread is twice in the same state, and no memory has
// changed in between, it repeats itself until memory changes. Exception: what it does may depend on
// a library function that keeps a state of its own, such as rand().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lockbench::stress::explore {

// A hash of the state of the running thread, whose stack ends before `stack_end`. Absent if the
// thread was not called from a plug-in. Registers that a call may change are left out: the calling
// code cannot use them after the call. Costs about as much as some exceptions.
std::optional<std::uint64_t> state_of_caller(const std::byte* stack_end);

}  // namespace lockbench::stress::explore

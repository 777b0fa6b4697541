// SPDX-License-Identifier: Apache-2.0

// The functions by which the simulated platform asks a model of a machine
// (LOCKBENCH_MACHINE_MODEL), in addition to hooks.h. A search for wrong interleavings has no use
// for these.
#pragma once

#include <cstdint>

namespace lockbench::platform::simulated {

// The thread lets others run that wait for its processor.
void yield() noexcept;

// In nanoseconds, of a counter of the processor: it costs less to read than the clock.
std::uint64_t ticks() noexcept;

// The number of processors of the machine.
unsigned processors() noexcept;

}  // namespace lockbench::platform::simulated

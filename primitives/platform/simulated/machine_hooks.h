// SPDX-License-Identifier: Apache-2.0

// What the simulated platform asks of a model of a machine (LOCKBENCH_PREDICT), in addition to
// hooks.h. A search for wrong interleavings has no use for these.
#pragma once

namespace lockbench::platform::simulated {

// The thread lets others run that wait for its processor.
void yield() noexcept;

// Of the machine.
unsigned processors() noexcept;

}  // namespace lockbench::platform::simulated

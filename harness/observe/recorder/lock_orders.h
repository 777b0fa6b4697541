// SPDX-License-Identifier: Apache-2.0

// LockOrders: which lock a thread waited for while it held which one.
#pragma once

#include <array>

#include "harness/observe/recorder/recorder.h"
#include "harness/observe/recorder/recording.h"
#include "harness/observe/recorder/thread_record.h"

namespace lockbench::observe {

// The thread acquires the lock of `request` while it holds its hold number `held`. What a thread
// has noted it does not note again.
void note_order(std::array<Order, Process::kOrders>& orders, Thread& thread, std::uint32_t held,
                const Request& request, Count& lost);

}  // namespace lockbench::observe

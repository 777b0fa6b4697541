// SPDX-License-Identifier: Apache-2.0

// threads_of_locks: the threads that locks have started for themselves, such as one that watches
// deadlines. A lock is made before the simulation begins, so its threads begin with it.
#pragma once

#include <functional>
#include <vector>

namespace lockbench::predict {

// The functions that threads of locks execute, in the order in which they were started.
std::vector<std::function<void()>>& threads_of_locks();

}  // namespace lockbench::predict

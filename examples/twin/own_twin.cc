// SPDX-License-Identifier: Apache-2.0

// The lock that `global` waits with, a second time and from outside.
//
//   lockbench run --plugin ./own_twin.so --primitive global --primitive global:lock=own_twin
#include <lockbench/plugin.h>

#include "primitives/adaptive_mutex.h"

LOCKBENCH_PRIMITIVE("own_twin", "what `global` waits with", lockbench::AdaptiveMutex)

// SPDX-License-Identifier: Apache-2.0

// The lock that `global:lock=std` waits with, a second time and from outside.
//
//   lockbench run --plugin ./std_twin.so --primitive global:lock=std \
//                 --primitive global:lock=std_twin
#include <lockbench/plugin.h>
#include <mutex>

LOCKBENCH_PRIMITIVE("std_twin", "what `global:lock=std` waits with", std::mutex)

// SPDX-License-Identifier: Apache-2.0

// The memory of this process and of the machine, in bytes.
#pragma once

#include <cstdint>

namespace lockbench {

// The resident memory of this process; 0 if the kernel does not report it.
std::uint64_t resident_memory();

// The memory that this process can still use without swapping: the machine's available memory, or
// what its memory cgroup leaves if that is less.
std::uint64_t available_memory();

}  // namespace lockbench

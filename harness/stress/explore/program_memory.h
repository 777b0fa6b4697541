// SPDX-License-Identifier: Apache-2.0

// The memory of a simulated program, for what it allocates otherwise than by operator new.
#pragma once

#include <cstddef>

namespace lockbench::stress::explore {

// Whether the place is, or was, a program's.
bool is_of_program(const void* place);

// As operator new and delete. The second requires is_of_program().
void* allocate_for_program(std::size_t bytes, std::size_t alignment);
void release_of_program(void* place);

}  // namespace lockbench::stress::explore

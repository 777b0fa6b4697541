// SPDX-License-Identifier: Apache-2.0

// Memory of a simulated program that it does not allocate with operator new.
#pragma once

#include <cstddef>

namespace lockbench::stress::explore {

// True if the memory belongs, or belonged, to a simulated program.
bool is_of_program(const void* location);

// The same as operator new and delete. The last two functions require is_of_program().
void* allocate_for_program(std::size_t bytes, std::size_t alignment);
void release_of_program(void* location);
std::size_t size_in_program(const void* allocated);  // at least what was asked for

}  // namespace lockbench::stress::explore

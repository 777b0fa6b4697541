// SPDX-License-Identifier: Apache-2.0

// ProgramMemory: the memory of the program whose threads are simulated.
//
// Which words share a cache line decides what a lock costs. The allocator of the C library serves
// the one thread that runs the simulation, so a block that one simulated thread has freed would
// come to another, with a line that is far away. Here each simulated thread has its own free
// blocks, as with the allocators that real threads use.
//
// Guarantees   The same calls give the same addresses, in every process in which the usual address
//              range is free. Blocks of 64 bytes and more begin at a line.
// Not offered  Returning memory to the system.
#pragma once

#include <cstddef>
#include <span>

namespace lockbench::predict {

// Ends the process with a message if the system has no memory for the region. From this call on,
// operator new takes memory from it.
void begin_program_memory();

// Memory for the stack of a simulated thread.
std::span<std::byte> stack_memory();

// Zeros, in lines that nothing else uses. Never freed.
std::byte* zeroed_lines(std::size_t bytes);

}  // namespace lockbench::predict

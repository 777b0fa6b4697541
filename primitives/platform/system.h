// SPDX-License-Identifier: Apache-2.0

// The system that the locks are compiled for: exactly one of these is defined.
//
// LOCKBENCH_SIMULATE     the scheduler of a simulation; given by the build of a simulation
// LOCKBENCH_PORTABLE     any system, by the standard library alone; may be given on every system
// LOCKBENCH_ON_LINUX     futex and membarrier
// LOCKBENCH_ON_WINDOWS   WaitOnAddress; 64 bits
//
// Requires     LOCKBENCH_PORTABLE is defined in all translation units of a process or in none: a
//              thread that waits in the table of one kind is not woken by the other.
#pragma once

#if !defined(LOCKBENCH_SIMULATE) && !defined(LOCKBENCH_PORTABLE)
#if defined(__linux__)
#define LOCKBENCH_ON_LINUX
#elif defined(_WIN64)
#define LOCKBENCH_ON_WINDOWS
#else
#define LOCKBENCH_PORTABLE
#endif
#endif

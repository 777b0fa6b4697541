// SPDX-License-Identifier: Apache-2.0

// Pauses: a hold looks shorter by a fifth if all other threads pause for a fifth of it, and the
// pauses are left out of the program's time. So `lockbench whatif` measures what shorter holds
// would gain, without a program that has them.
//
// Each hold of a chosen place makes the other threads owe a pause. A thread pays before it acquires
// or releases a lock, wakes another thread, waits, or ends. What it came to owe while it waited for
// another thread is forgiven: that thread has paid, or was the one that got faster.
//
// Guarantees   A program's time, less the pauses that its last thread accounts for, is that of a
//              program whose holds are each so much shorter.
// Not offered  A wait that the recorder does not see (a pipe, a thread that spins) is paid for. The
//              time of a program that runs for a given time says nothing.
// Requires     No more threads run than there are processors: a pause is work of its processor,
//              which would take time from threads that owe nothing.
// Cost         A recording without pauses: one load before each acquisition and release.
// Source       The virtual speedup of Curtsinger and Berger, "Coz: Finding Code that Counts with
//              Causal Profiling", SOSP 2015, section 3.4; there for lines of code, by samples.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/observe/recorder/recording.h"
#include "harness/observe/recorder/thread_record.h"

namespace lockbench::observe {

namespace internal {
extern std::atomic<bool> some_pause;
}  // namespace internal

// True if holds make others pause in this recording.
inline bool some_pause() {
  // relaxed: it is set before the program's first thread begins.
  return internal::some_pause.load(std::memory_order_relaxed);
}

// Reads the header. Once, before the program's first thread begins.
void begin_pauses(const Header& header);

// The thread's clock without its own pauses.
std::uint64_t worked_ns(const Thread& thread);

// The thread's hold ends: all others owe a pause of so many percent of it.
void let_others_pause(Thread& thread, const Held& held, std::uint64_t percent);

// The thread owes nothing afterwards. It has paid; or a thread for which it waited has.
void pay_pauses(Thread& thread);
void forgive_pauses(Thread& thread);

// A thread whose record begins. The main thread has been there from the start; it is not known
// since when another one has, so it owes nothing.
void begin_pauses_of(Thread& thread);

// In a copy of the process: its threads owe each other nothing yet.
void begin_pauses_in_child();

// The thread ends its process.
void account_for_pauses(Thread& thread, Header& header);

}  // namespace lockbench::observe

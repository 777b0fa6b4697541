// SPDX-License-Identifier: Apache-2.0

// Changed holds: before a lock of a chosen place is released, the processor does some more work;
// or all other threads pause, so that the hold looks shorter (pauses.h). So `lockbench whatif`
// finds what the holds of the place are worth. Which places, and how much, is in the recording's
// header before the program starts.
//
// Cost         A process without chosen places: one load for each release. The count of holds is
//              exact for the first 1,024 of each thread; of the others, each thread adds 64 at a
//              time, since threads with different locks of one place would wait for its line.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/observe/recorder/recording.h"
#include "harness/observe/recorder/thread_record.h"

namespace lockbench::observe {

namespace internal {
extern std::atomic<bool> some_are_changed;
}  // namespace internal

// Reads the header. Once, before the first place is known. `program`: the path of this one.
void begin_changing(const Header& header, const char* program);

// True if there is a chosen place, in whatever process.
inline bool changes_holds() {
  // relaxed: it is set before the program's first thread begins.
  return internal::some_are_changed.load(std::memory_order_relaxed);
}

// For each new place, before other threads can find it.
void choose_if_changed(const Process& process, std::uint32_t number, const Place& place);

// Does what was chosen for the lock's place, if anything was. `thread`, which calls, is about to
// release it.
void change_hold(Thread& thread, const Held& held);

}  // namespace lockbench::observe

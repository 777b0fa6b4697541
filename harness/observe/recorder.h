// SPDX-License-Identifier: Apache-2.0

// Recorder: counts what this process's threads do with their locks, in a Recording.
//
// Guarantees   Counts are exact. Waits that begin with a failed try are timed each; holds and
//              thinks one in kSampleEvery, at random distances, and a thread's first
//              kSampledFirst. No function allocates, takes a
//              lock or changes errno. Memory is bounded: beyond the limits of Process, acquisitions
//              are counted by place and not by lock.
// Not offered  Holds that another thread ends (semaphores). Two locks without destroy() at one
//              address, one after the other, count as one.
// Requires     acquired() and released() by the thread that acquires and releases; released()
//              before the lock is released, because the holder owns the entry's counts.
#pragma once

#include <cstdint>

#include "harness/observe/recording.h"

namespace lockbench::observe {

inline constexpr std::uint32_t kSampleEvery = 16;
inline constexpr std::uint32_t kSampledFirst = 256;

// Uses this part of the memory from now on. Call it once, before another thread runs.
void begin_recording(Recording& recording, bool forked);

// In the child of a fork(): the part of the parent is not this process's.
void begin_in_child();

// Whether anything is counted now.
bool recording();

enum class Access { kExclusive, kShared };

struct Request {
  const void* lock = nullptr;
  const void* caller = nullptr;  // the return address of the call
  LockKind kind = LockKind::kNone;
  Access access = Access::kExclusive;
};

// An acquisition without a wait.
void acquired(const Request& request);

// A wait that a failed try precedes. Each wait_begins() is followed by wait_ends().
struct Wait {
  std::uint64_t since = 0;  // 0: nothing is recorded
  Place* place = nullptr;
};
Wait wait_begins(const Request& request);
void wait_ends(const Request& request, const Wait& wait, bool acquired);

// A try that failed and is not followed by a wait.
void try_failed(const void* lock);

// Before a release.
void released(const void* lock);

// A wait for a condition releases the mutex and acquires it again.
void condition_wait_begins(const void* lock);
void condition_wait_ends(const Request& request);

// The lock is destroyed, or another one begins at its address.
void ended(const void* lock);

}  // namespace lockbench::observe

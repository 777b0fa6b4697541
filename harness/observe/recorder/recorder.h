// SPDX-License-Identifier: Apache-2.0

// Recorder: counts what this process's threads do with their locks, in a Recording.
//
// Guarantees   Counts are exact. Waits that begin with a failed try are timed each; holds and
//              thinks one in kSampleEvery, at random distances, and a thread's first
//              kSampledFirst. A wait ends with wait_ends(), with the next call for its thread, or
//              with the thread: a thread that was cancelled or jumped out of its wait waits no
//              longer. No function allocates, takes a lock or changes errno. Memory is bounded:
//              beyond the limits of Process, acquisitions are counted by place and not by lock.
// Not offered  Two locks without destroy() at one address, one after the other, count as one. Of
//              locks that a program makes of futexes, only waits are known.
// Requires     acquired() and released() by the thread that acquires and releases; released()
//              before the lock is released, because the holder owns the entry's counts.
#pragma once

#include <cstdint>

#include "harness/observe/recorder/recording.h"

namespace lockbench::observe {

inline constexpr std::uint32_t kSampleEvery = 16;
inline constexpr std::uint32_t kSampledFirst = 256;

// True if anything is counted now.
bool recording();

enum class Access { kExclusive, kShared };

struct Request {
  const void* lock = nullptr;
  const void* caller = nullptr;  // the return address of the call
  LockKind kind = LockKind::kNone;
  Access access = Access::kExclusive;
  bool waits = true;  // false: it is a try
};

// Before a lock is acquired, with a wait or without one: a thread that owes a pause pays it.
void before_acquisition();

// An acquisition without a wait.
void acquired(const Request& request);

// A wait that a failed try precedes. Returns the time, 0 if nothing is recorded. wait_ends() is
// told that time.
std::uint64_t wait_begins(const Request& request);
void wait_ends(const Request& request, std::uint64_t since, bool acquired);

// A try that failed and is not followed by a wait.
void try_failed(const void* lock);

// Before a release. `caller`: the return address of the call.
void released(const void* lock, const void* caller);

// Before a semaphore is posted, or threads that wait for a futex are woken.
void semaphore_posted(const void* semaphore);
void futex_woken(const void* futex);

// A wait for a condition releases the mutex and acquires it again.
struct ConditionWait {
  std::uint64_t since = 0;  // 0: nothing is recorded
  long switches = 0;        // times that the thread had gone to sleep before
};
ConditionWait condition_wait_begins(const void* condition, const Request& mutex);
void condition_wait_ends(const void* condition, const Request& mutex, const ConditionWait& wait,
                         bool signalled);
void condition_signalled(const void* condition);

// A thread waits in another function: for the end of a thread, or at a barrier.
std::uint64_t event_wait_begins();
void event_wait_ends(std::uint64_t since, bool woken);

// After a system call that waits for a futex; wait_begins() is called before. `woken`: by another
// thread.
void futex_wait_ends(const Request& request, std::uint64_t since, bool slept, bool woken);

// The lock is destroyed, or another one begins at its address.
void ended(const void* lock);

// The calling thread ends.
void thread_ends();

// The calling thread starts another one, which is told what is returned as its first act. Only if
// there are pauses: else a thread begins its record with its first lock.
std::uint64_t thread_starts_another();
void thread_begins(std::uint64_t pauses_ns);

// A lock that tells of itself (<lockbench/observed.h>). The mutexes, conditions and futexes that
// its members use between told_enters() and told_leaves() are parts of it: they have no records,
// and a wait for one is a wait for it. Its own calls are the ones below, and released(), ended()
// and try_failed().
void told_enters(const void* lock);
void told_leaves();
void told_acquired(const Request& request);
std::uint64_t told_wait_begins(const Request& request);
void told_wait_ends(const Request& request, std::uint64_t since);

}  // namespace lockbench::observe

// SPDX-License-Identifier: Apache-2.0

// Observations: what the engines observe of threads or processes, for the oracles to check. An
// engine makes an observation of each kind that it can make; a member that it cannot know is
// absent.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/oracles/oracle.h"

namespace lockbench::stress {

// Another holder of the same key.
struct OtherHolder {
  enum Circumstance : std::uint8_t {
    kHolds,
    kStopped,        // its process is stopped, and lives
    kPartReleased,   // it, or the thread that observes it, released a part of its nested holds
    kForeignUnlock,  // a thread that did not hold called unlock() before
  };
  std::uint32_t thread = kNoThread;
  Circumstance circumstance = kHolds;
};

// Who else holds, when a thread has acquired a key or is about to release it.
struct Holders {
  std::uint32_t thread = kNoThread;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  bool at_release = false;
  std::optional<OtherHolder> excess;      // the key has more holders than its capacity: one of them
  std::optional<OtherHolder> same_lease;  // a holder of the same lease
};

// The lease of a hold that has begun.
struct LeaseNumber {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  std::uint32_t capacity = 1;
};

// A hold that has begun.
struct Grant {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::optional<std::uint64_t> token;
  std::optional<bool> ordered;  // the release of the hold before it happens before this grant
};

// The count of updates that the holders of a key keep: what it should be, and what was read.
struct Updates {
  enum When : std::uint8_t { kAtGrant, kAtRelease, kAtEnd };
  When when = kAtGrant;
  std::uint32_t thread = kNoThread;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::optional<std::uint64_t> seen;  // absent: what was read is no number
};

// A call that returned without the key.
struct Refusal {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t second_key = kNoKey;
  bool owner = false;  // the thread holds the key, of a reentrant lock
  std::optional<std::int64_t> timeout_ns;
  std::int64_t waited_ns = 0;
  // How many others used the key at some time during the call, if it must succeed without them.
  std::optional<std::uint64_t> others;
  std::uint32_t capacity = 1;
};

// A call with a timeout returned so long after it, having done nothing but wait meanwhile.
struct Overdue {
  std::uint32_t thread = 0;
  std::int64_t overdue_ns = 0;
};

// A thread acquires a key; and which thread waited for it already when this one requested it.
struct Turn {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t passed_over = kNoThread;
};

// Of threads that came one after the other, each when the one before it waited, two neighbours;
// and whether the later one was served first.
struct Arrivals {
  std::uint32_t key = 0;
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
  bool overtook = false;
};

// What a lock says of its owner to a thread.
struct OwnerAnswer {
  enum Query : std::uint8_t { kHeldByThisThread, kLocked };
  Query query = kHeldByThisThread;
  std::uint32_t thread = kNoThread;
  std::uint32_t key = 0;
  bool holds = false;  // what is true
  bool answer = false;
};

// The longest wait of a thread, and how often other threads got the key meanwhile.
struct LongestWait {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint64_t waited_ns = 0;
  std::uint64_t grants = 0;
};

// Every thread, or process, came to its end, or an explanation is sought why it did not.
struct Ended {
  bool shows_independence = false;  // a key that waits for another one would have been found
};

// ---- of a lock that no thread uses any more

// How often a key could be acquired at once by try_lock().
struct FreeKey {
  std::uint32_t key = 0;
  std::uint32_t free = 0;
  std::uint32_t capacity = 1;
};

// For how many keys a lock that reclaims keeps something.
struct KeysKept {
  std::uint64_t keys = 0;
};

// While `held` is held, another thread tried to acquire `asked`.
struct OtherKey {
  std::uint32_t held = 0;
  std::uint32_t asked = 0;
  bool acquired = false;
};

// While a key is held, another thread called try_lock() or try_lock_for() of it, and that returned.
struct TryOfHeldKey {
  std::uint32_t key = 0;
  bool acquired = false;
};

// Holds of one key by one thread, one after the other, and how many allocations that were not freed
// they left behind.
struct Allocations {
  std::uint64_t holds = 0;
  std::uint64_t left = 0;
};

// Holds by one thread, and by how many bytes the heap is larger after them.
struct HeapGrowth {
  std::uint64_t holds = 0;
  std::uint64_t bytes = 0;
};

// Thousands of keys, by their numbers, of which one thread held some and another tried others; and
// two that are one lock, if there are.
struct ManyKeys {
  std::optional<std::uint64_t> held;
  std::uint64_t refused = 0;  // while that one is held
};

// ---- of what came to a standstill, or to an end

// A call that did not return, or a process that does nothing.
struct Hang {
  enum Where : std::uint8_t { kCallOfUnusedLock, kTryOfHeldKey, kWholeProcess };
  Where where = kWholeProcess;
};

// All processes stand still, and this one waits for a key.
struct ProcessStall {
  std::uint32_t process = 0;
  std::uint32_t key = 0;
  std::uint32_t last_holder = kNoThread;
  bool last_holder_was_killed = false;
};

// How long it took until keys whose holder was killed were acquired again: the median.
struct Recovery {
  std::uint64_t recoveries = 0;
  std::int64_t median_ns = 0;
};

// An exception escaped from lock(), try_lock(), try_lock_for() or unlock().
struct EscapedException {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
};

// A process ended that should not have.
struct ProcessEnd {
  enum Detector : std::uint8_t { kNone, kThreadSanitizer, kAddressSanitizer };
  std::uint32_t thread = kNoThread;  // that ended it, or the process; if known
  std::optional<int> signal;         // absent: it ended itself
  int exit_code = 0;
  Detector detector = kNone;  // the sanitizer that the process was built with
};

}  // namespace lockbench::stress

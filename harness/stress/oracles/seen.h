// SPDX-License-Identifier: Apache-2.0

// Seen: what the engines see of threads or processes and pass to the oracles. An engine passes each
// kind that it can see. A member that the engine cannot determine is
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
    kStopped,        // its process is stopped but alive
    kPartReleased,   // it, or the thread that looks, released a part of its nested holds
    kForeignUnlock,  // a thread that did not hold it called unlock() before
  };
  std::uint32_t thread = kNoThread;
  Circumstance circumstance = kHolds;
};

// The other holders when a thread has acquired a key or is about to release it.
struct Holders {
  std::uint32_t thread = kNoThread;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  bool at_release = false;
  std::optional<OtherHolder> excess;      // one holder, if there are more than the capacity
  std::optional<OtherHolder> same_lease;  // another holder of the same lease
};

// The lease of a hold that has just begun.
struct LeaseNumber {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  std::uint32_t capacity = 1;
};

// A hold that has just begun.
struct Grant {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::optional<std::uint64_t> token;
  std::optional<bool> ordered;  // the release of the previous hold happens before this grant
};

// The count of updates that the holders of a key keep: the expected range and the value that was
// read.
struct Updates {
  enum When : std::uint8_t { kAtGrant, kAtRelease, kAtEnd };
  When when = kAtGrant;
  std::uint32_t thread = kNoThread;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::optional<std::uint64_t> seen;  // absent: the value that was read is torn
};

// A write to a resource outside of the lock, which accepted it: the number that the writer had read
// in the same hold, and the one that it replaced.
struct ResourceWrite {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t last_writer = kNoThread;
  std::uint64_t read = 0;
  std::uint64_t found = 0;
};

// The token of a hold, and the greatest token of the key that any call had returned with before
// this hold was requested.
struct TokenAfter {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint64_t before = 0;
  std::uint64_t token = 0;
};

// A client of a service that has not acquired a key though the last fault was long ago.
struct LateAfterFaults {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint64_t waited_ms = 0;
};

// For a lock with a lock for each key: a thread waits forever for a key that no thread holds,
// outside of the program, while `held` other keys are held.
struct OneOfManyKeys {
  std::uint32_t key = 0;
  std::uint64_t held = 0;
};

// Acts that may have refused a key to a try: those of other threads with the key during the try.
struct InTheWay {
  std::uint64_t uses = 0;   // from a request to the end of the release, or to the refusal
  std::uint64_t calls = 0;  // requests and releases under way
};

// True if a lock with a strong try may have refused it. Several holds may leave a lock by one call:
// a release may hand its permit to another release that is under way, and return before it. So the
// permits of a lock with capacity above 1 are free for certain only while no call is under way.
inline bool explains_refusal(const InTheWay& seen, std::uint32_t capacity) {
  return seen.uses >= capacity || seen.calls != 0;
}

// A call that returned without the key.
struct Refusal {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t second_key = kNoKey;
  bool owner = false;  // the lock is reentrant, and the thread holds the key
  bool reads = false;  // it was a try to read; then readers are not in its way
  std::optional<std::int64_t> timeout_ns;
  std::int64_t waited_ns = 0;
  // The acts that may have been in its way. Absent if the call may fail without a reason.
  std::optional<InTheWay> in_the_way;
  std::uint32_t capacity = 1;
};

// A call with a timeout that returned late, without the time in which the thread, or the machine,
// could not run. The thread did nothing but wait after the timeout, or, if it is kNoThread, was
// woken again and again by releases of the key.
struct Overdue {
  std::uint32_t thread = 0;
  std::int64_t overdue_ns = 0;
};

// A thread acquires a key. `passed_over`: a thread that already waited for it when this one
// requested it. Of a lock for readers and writers: the order that it promises, and who does what.
struct Turn {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t passed_over = kNoThread;
  ReadersOrder order = ReadersOrder::kNone;
  bool writes = true;
  bool passed_over_reads = false;
  // For a lock that bounds it: how often that thread was passed until now, and may be.
  std::uint32_t passes = 0;
  std::uint32_t bypass_limit = 0;
};

// Two neighbours in a sequence of threads, each of which requested the key while its predecessor
// waited; and whether the later one was served first.
struct Arrivals {
  std::uint32_t key = 0;
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
  bool overtook = false;
};

// The lock's answer to a thread about its owner.
struct OwnerAnswer {
  enum Query : std::uint8_t { kHeldByThisThread, kLocked };
  Query query = kHeldByThisThread;
  std::uint32_t thread = kNoThread;
  std::uint32_t key = 0;
  bool holds = false;  // the correct answer
  bool answer = false;
};

// Calls `check` with each of the answers that a holder got. Absent: the lock does not answer that.
template <class Check>
void check_answers_to_holder(std::uint32_t thread, std::uint32_t key, std::optional<bool> own,
                             std::optional<bool> locked, const Check& check) {
  OwnerAnswer seen{.thread = thread, .key = key, .holds = true};
  if (own) {
    seen.answer = *own;
    check(seen);
  }
  if (!locked) return;
  seen.query = OwnerAnswer::kLocked;
  seen.answer = *locked;
  check(seen);
}

// A wait of a thread, and how often other threads got the key meanwhile. It fails only a lock
// that promises to be fair.
struct LongestWait {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint64_t waited_ns = 0;
  std::uint64_t grants = 0;
};

// A thread that requested the key and ran, but was not granted it in any of `pauses` pauses of
// `pause_ms` each, in which no thread held the key or was granted it. Others got it between them.
struct FreeKeyNotGranted {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint64_t pauses = 0;
  std::uint64_t pause_ms = 0;
};

// The threads that slept until a key was released: those that still sleep, though it is free.
struct ServedSleepers {
  std::uint32_t key = 0;
  std::uint32_t all = 0;
  std::uint32_t left = 0;
};

// Every thread or process ended, or all threads are stuck and the engine goes on to find out why.
struct Ended {
  bool shows_independence = false;  // a key that waits for another one would have been detected
};

// ---- for a lock that no thread uses any more

// How many times try_lock() could acquire a key without a release between.
struct FreeKey {
  std::uint32_t key = 0;
  std::uint32_t free = 0;
  std::uint32_t capacity = 1;
  bool inherited = false;  // a process has died that held key 0, and another requested it then
  std::optional<bool> lock_returns = {};  // of lock(), if it was called because tries failed
  // A thread that was refused it, or gave up, though no other thread used it during the call.
  std::uint32_t refused = kNoThread;
};

// The number of keys for which a lock with the ability `reclaims` keeps something.
struct KeysKept {
  std::uint64_t keys = 0;
};

// While `held` was held, another thread tried to acquire `asked`.
struct OtherKey {
  std::uint32_t held = 0;
  std::uint32_t asked = 0;
  bool acquired = false;
};

// While a key was held, another thread called its try_lock() or try_lock_for(), and the call
// returned.
struct TryOfHeldKey {
  std::uint32_t key = 0;
  bool acquired = false;
  bool before_program = false;  // before the threads of the program began
  std::uint32_t readers = 0;    // so many hold the lock together; the one that tries would write
};

// Allocations of the program that were not freed, and that no pointer leads to.
struct LostMemory {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t spared = 0;  // so many may be lost
};

// Calls that one thread makes again and again: acquisitions, each followed by a release; tries of a
// held key; waits for one with a timeout, which expires.
enum class Calls : std::uint8_t { kHolds, kRefusals, kTimeouts };

// Calls for one key, and the number of allocations that remained after them.
struct Allocations {
  Calls calls = Calls::kHolds;
  std::uint64_t number = 0;
  std::uint64_t left = 0;
};

// Calls, and by how many bytes the heap has grown after them.
struct HeapGrowth {
  Calls calls = Calls::kHolds;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
};

// Locks that the last thread that left destroyed, while another one might still be in unlock().
struct Destructions {
  std::uint64_t locks = 0;
};

// Thousands of keys, by value. One thread held some of them and another tried others. Contains two
// keys that share one lock, if there are any.
struct ManyKeys {
  std::optional<std::uint64_t> held;
  std::uint64_t refused = 0;  // this key was refused while `held` was held
};

// ---- for stalls and ends of processes

// A call that did not return, or a process that makes no progress.
struct Hang {
  enum Where : std::uint8_t {
    kCallOfUnusedLock,
    kTryOfHeldKey,
    kForkedChild,  // in the child of a thread that forked while it held a key
    kWholeProcess,
  };
  Where where = kWholeProcess;
};

// All processes are stalled, and this one waits for a key.
struct ProcessStall {
  std::uint32_t process = 0;
  std::uint32_t key = 0;
  std::uint32_t last_holder = kNoThread;
  bool last_holder_was_killed = false;
};

// The median time until a key whose holder was killed was acquired again.
struct Recovery {
  std::uint64_t recoveries = 0;
  std::int64_t median_ns = 0;
};

// An exception left lock(), try_lock(), try_lock_for() or unlock().
struct EscapedException {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  bool beside = false;  // it is ReaderBesideWriter, and shows two holders
};

// A process ended although it should not.
struct ProcessEnd {
  enum Detector : std::uint8_t { kNone, kThreadSanitizer, kAddressSanitizer };
  std::uint32_t thread = kNoThread;  // the thread that ended it, or the process; if known
  std::optional<int> signal;         // absent: the process exited by itself
  int exit_code = 0;
  Detector detector = kNone;         // the sanitizer that the process was built with
  bool used_destroyed_lock = false;  // its signal came from an access of a lock that was destroyed
};

}  // namespace lockbench::stress

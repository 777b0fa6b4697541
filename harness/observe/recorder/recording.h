// SPDX-License-Identifier: Apache-2.0

// Recording: the file in which liblockbench_observe.so counts and `lockbench observe` reads.
//
// `lockbench observe` creates it as an anonymous file, and each observed process maps the parts
// that it uses. So what was counted outlives the process however that ends: _exit(), a signal,
// SIGKILL. No thread and no handler has to write it anywhere.
//
// Layout       a Header, then one area for each slot of it. An area has fixed parts at fixed
//              offsets: a Process, levels of locks, and chunks of places. A process maps a part
//              when it needs it first; a part that nobody wrote takes no memory.
// Guarantees   All-zero memory is a valid recording of nothing. Each member is written with
//              relaxed atomic stores, so a reader sees whole numbers at any time.
// Not offered  A consistent picture while the program runs: members change one by one.
//
// Times are in ticks (ticks.h). A time of day does not occur: Process::start_ticks and start_ns,
// which were read together, give the rate.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/bench/measure/histogram.h"
#include "harness/observe/recorder/loaded_code.h"
#include "primitives/platform/layout.h"

namespace lockbench::observe {

// The environment variable with the path of the recording.
inline constexpr char kRecordingVariable[] = "LOCKBENCH_OBSERVE";

using Count = std::atomic<std::uint64_t>;
using Number = std::atomic<std::uint32_t>;

enum class LockKind : std::uint32_t {
  kNone,
  kMutex,
  kShared,
  kSpin,
  kSemaphore,
  kFutex,           // a lock that the program makes of futexes
  kSemaphoreEvent,  // threads wait for it until others post it: it is no lock
  kFutexEvent,
  kFutexUnknown,  // a lock or an event
};

struct TickHistogram {
  Count sum;
  Count longest;
  std::array<Count, Histogram::kBuckets> counts;
};

// How long at least one thread waits. The first waiter subtracts the time at which it begins, and
// the last one adds the time at which it ends, both relative to the process's start. So the order
// in which two threads add does not matter, and no number has a limit that is reached.
struct BlockedTime {
  Count waiters;  // threads that wait
  Count ticks;    // modulo 2^64; while a thread waits, the present time is to be added
};

// A return address: the code after a call.
struct CodeAddress {
  Count address;  // 0: none
  Number module;  // index + 1; 0: unknown
};

// Sampled holds that ended on cores of one kind.
struct HoldsOnCores {
  Count holds;
  Count ticks;  // of all of them together
};

// The code that first acquired one or more locks.
struct alignas(platform::kCacheLine) Place {
  static constexpr std::size_t kMostCallers = 8;
  static constexpr std::size_t kMostCoreKinds = 4;

  Count key;      // of the callers and the kind; 0: not used yet
  Number next;    // of the places with the same hash: its number; 0: none
  Number kind;    // LockKind
  Number depth;   // the callers up to this one are wrappers of the lock; 0: unknown
  Number thread;  // the number of the first one
  std::array<CodeAddress, kMostCallers> callers;  // innermost first
  Number threads;  // from the 2,048th place on, 2 stands for two or more
  BlockedTime blocked;
  Count added_until;  // the end of the last wait that was counted when it was over
  // Posts by a thread that waited for it before, and by others.
  Count own_posts;
  Count other_posts;
  // Counts of locks that ended and whose entry is used again.
  Count ended_locks;
  Count ended_acquisitions;
  Count ended_contended;
  // Counts of locks that have no entry, because the table is full.
  Count unlisted_acquisitions;
  Count unlisted_contended;
  TickHistogram wait;   // of each contended acquisition
  TickHistogram hold;   // sampled
  TickHistogram think;  // sampled: from a release to the thread's next request at this place
  // By the rank of the kind, from 0, the fastest; all zero if the cores are of one kind.
  std::array<HoldsOnCores, kMostCoreKinds> on_cores;
};

struct alignas(platform::kCacheLine) Lock {
  Number place;        // its number; 0: its place has no entry
  Number kind;         // LockKind
  Count acquisitions;  // exclusive ones
  // For a mutex: since when threads have had it without a pause, if a thread waits for a condition
  // with it.
  Count shared_acquisitions;
  Count contended;
  Count failed_tries;
  Count condition_waits;
  // For a semaphore or futex: the posts by threads that waited for it, and by others.
  Count recursions;
  Count released;  // when it was released last; 0: no thread waits for a condition with it
};
static_assert(sizeof(Lock) == platform::kCacheLine);

// A table of locks: buckets of keys, and an entry for each key. A lock is in the first level whose
// bucket for it has a free key, so a process with few locks uses the first level only.
//
// A key is: 0 free | 1 its entry is being prepared | even: the lock's address | odd: the address +
// 1 of a lock that has ended.
struct LockLevels {
  static constexpr std::size_t kBucket = 8;
  static constexpr std::size_t kLevels = 4;
  static constexpr std::size_t kFirst = 2048;

  static constexpr std::size_t capacity(std::size_t level) { return kFirst << (3 * level); }
  static constexpr std::size_t bytes(std::size_t level) {
    return capacity(level) * (sizeof(Count) + sizeof(Lock));
  }
};

// A program or library.
struct Module {
  Count bias;  // address in memory minus address in the file; meaningful if the path is not empty
  std::array<char, kMostPathBytes + 1> path;
};

// While a thread held one lock, it waited for another one.
struct Order {
  Count first;           // address; 0: free
  Count second;          // address
  Number thread;         // the number of the first thread that did
  Number other_threads;  // 1: others did, too
  Number shared;         // bit 0: the first was always held for reading; bit 1: the second, too
  Number reserved;
  std::array<Count, 2> around;  // locks that were held around both each time; 0: none
};

struct alignas(platform::kCacheLine) Process {
  static constexpr std::size_t kModules = 256;
  static constexpr std::size_t kOrders = 4096;
  static constexpr std::size_t kPlaceHeads = 4096;

  Number pid;
  Number parent;
  Number forked;   // 1: it is a copy of its parent, 0: it was started as a program
  Number threads;  // that acquired a lock
  Count start_ticks;
  Count start_ns;         // of CLOCK_MONOTONIC, at start_ticks
  Count last_ticks;       // of the last time that was read
  Count processor_ns;     // of all its threads, when it was read last
  Number ended;           // ProcessEnd
  Number stopped;         // 1: a restriction of the process ended its record
  Number places;          // that are in use
  Number waiting;         // threads in functions that may wait
  BlockedTime blocked;    // in all places but events
  Count added_until;      // as of Place
  Count untracked_holds;  // a thread held more locks than it can keep
  // Acquisitions of locks whose place has no entry, and those after a wait.
  Count placeless_acquisitions;
  Count placeless_contended;
  Count lost_orders;
  std::array<Module, kModules> modules;  // the first is the program
  std::array<Number, kPlaceHeads> place_heads;
  std::array<Order, kOrders> orders;
};

enum class ProcessEnd : std::uint32_t { kUnknown, kExited, kExecuted };

// A program that a process with the library was about to start.
struct Started {
  Number pid;          // 0: free
  Number environment;  // 1: the environment has not the variable of the recording
  std::array<char, 120> program;
};

// A place whose holds are made longer, or look shorter. It is known by what another recording has
// of it: its callers, and the addresses of its locks, if they are few. Where threads race for the
// first acquisition, the callers are others in each run; and addresses are the same only where the
// kernel does not choose them at random.
struct ChangedPlace {
  static constexpr std::size_t kMostLocks = 64;

  struct Caller {
    Count offset;  // of the call in its file, as in CodeLocation
    std::array<char, kMostPathBytes + 1> path;
  };
  Number callers;                                // of its code; 0: this entry is not used
  Count steps;                                   // of multiply_chain(), before each release
  Count holds;                                   // that ended, about, also if there are no steps
  Count shorter_by;                              // percent: each hold looks so much shorter
  std::array<Caller, Place::kMostCallers> code;  // innermost first
  Number lock_count;
  std::array<Count, kMostLocks> locks;  // addresses in processes of this program:
  std::array<char, kMostPathBytes + 1> program;
};

struct Header {
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::size_t kChangedPlaces = 8;
  static constexpr std::size_t kStarted = 256;
  static constexpr std::size_t kProcessors = 4096;
  static constexpr std::uint32_t kVersion = 5;

  Number version;                    // kVersion
  Number paused;                     // 1: nothing is counted
  Number callers;                    // that make up a place; 0: up to the first that is no wrapper
  Number begun;                      // processes that have, or had, a slot
  Number without_slot;               // processes for which all slots were taken
  Number without_memory;             // processes that got no memory for their area
  Number under_filter;               // copies of a process that had restricted its system calls
  Number started_lost;               // programs for which Started had no room
  Count ended_processor_ns;          // of processes that ended and whose slot is free again
  std::array<Number, kSlots> slots;  // the process's number; 0: free
  std::array<Started, kStarted> started;
  // Written before a process is started. 0: the cores are of one kind, and where a hold ends is not
  // looked at.
  Number core_kinds;
  // Of each processor, by the kernel's number: 1 + the rank of its kind of core; 0: unknown.
  std::array<std::atomic<std::uint8_t>, kProcessors> core_kind_of;
  std::array<ChangedPlace, kChangedPlaces> changed;  // the used entries first
  // 1: all processes do what pauses need, so that those without a pause are as slow.
  Number some_pause;
  Count accounted_ns;  // of pauses, by the last threads of the processes that ended
};

// Where the parts are in the file. All are multiples of the largest page.
struct Layout {
  static constexpr std::uint64_t kPage = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kPlacesInChunk = 64;
  static constexpr std::uint64_t kPlaceChunks = 1024;
  static constexpr std::uint64_t kPlaces = kPlacesInChunk * kPlaceChunks;
  static constexpr std::uint64_t kArea = std::uint64_t{1} << 32;

  static constexpr std::uint64_t rounded(std::uint64_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
  }
  static constexpr std::uint64_t header_bytes() { return rounded(sizeof(Header)); }
  static constexpr std::uint64_t process_bytes() { return rounded(sizeof(Process)); }
  static constexpr std::uint64_t level_bytes(std::size_t level) {
    return rounded(LockLevels::bytes(level));
  }
  static constexpr std::uint64_t chunk_bytes() { return rounded(kPlacesInChunk * sizeof(Place)); }

  static constexpr std::uint64_t process_at(std::size_t slot) { return kArea * (slot + 1); }
  static constexpr std::uint64_t level_at(std::size_t slot, std::size_t level) {
    std::uint64_t at = process_at(slot) + process_bytes();
    for (std::size_t i = 0; i < level; ++i) at += level_bytes(i);
    return at;
  }
  static constexpr std::uint64_t chunk_at(std::size_t slot, std::size_t chunk) {
    return level_at(slot, LockLevels::kLevels) + chunk * chunk_bytes();
  }
  static constexpr std::uint64_t file_bytes() { return kArea * (Header::kSlots + 1); }
};
static_assert(Layout::header_bytes() <= Layout::kArea);
static_assert(Layout::chunk_at(0, Layout::kPlaceChunks) <= Layout::process_at(1));

}  // namespace lockbench::observe

// SPDX-License-Identifier: Apache-2.0

// Recording: the memory in which liblockbench_observe.so counts and `lockbench observe` reads.
//
// `lockbench observe` creates it as an anonymous file, and every observed process maps it. So what
// was counted outlives the process however that ends: _exit(), a signal, SIGKILL. No thread and no
// handler has to write it anywhere.
//
// Guarantees   All-zero memory is a valid recording of nothing. Each member is written with
//              relaxed atomic stores, so a reader sees whole numbers at any time. The size is
//              fixed; the kernel provides pages when they are first used.
// Not offered  A consistent picture while the program runs: members change one by one.
//
// Times are in ticks (ticks.h). A time of day does not occur: Process::start_ticks and start_ns,
// which were read together, give the rate.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/measure/histogram.h"
#include "harness/observe/loaded_code.h"
#include "primitives/platform/layout.h"

namespace lockbench::observe {

// The environment variable with the path of the recording.
inline constexpr char kRecordingVariable[] = "LOCKBENCH_OBSERVE";

using Count = std::atomic<std::uint64_t>;
using Number = std::atomic<std::uint32_t>;

enum class LockKind : std::uint32_t { kNone, kMutex, kShared, kSpin, kSemaphore };

struct TickHistogram {
  Count sum;  // of what is in the buckets
  Count longest;
  std::array<Number, Histogram::kBuckets> counts;
};

// How long at least one thread waits: 0 nobody waits | the time since when (relative to the
// process's start) above kWaiterBits bits, the number of threads that wait below.
struct BlockedTime {
  static constexpr std::uint32_t kWaiterBits = 14;

  Count state;
  Count ticks;  // of the finished periods
};

// A return address: the code after a call.
struct CodeAddress {
  Count address;  // 0: none
  Number module;  // index + 1; 0: unknown
};

// The code that first acquired one or more locks.
struct alignas(platform::kCacheLine) Place {
  static constexpr std::size_t kMostCallers = 8;

  Count key;                                      // of the callers; 0: free
  std::array<CodeAddress, kMostCallers> callers;  // innermost first
  Number kind;                                    // LockKind
  Number threads;
  BlockedTime blocked;
  // Of locks that ended and whose entry is used again.
  Count ended_locks;
  Count ended_acquisitions;
  Count ended_contended;
  // Of locks that have no entry, because the table is full.
  Count unlisted_acquisitions;
  Count unlisted_contended;
  TickHistogram wait;   // of each contended acquisition
  TickHistogram hold;   // sampled
  TickHistogram think;  // sampled: from a release to the thread's next request at this place
};

struct alignas(platform::kCacheLine) Lock {
  // 0 free | 1 its entry is being prepared | even: the lock's address | odd: the address + 1 of a
  // lock that has ended
  Count address;
  Number place;  // index + 1; 0: its place has no entry
  Number kind;
  Count acquisitions;  // exclusive ones; those after a wait for a condition are not counted
  Count shared_acquisitions;
  Count contended;
  Count failed_tries;
  Count condition_waits;
  Count recursions;
};
static_assert(sizeof(Lock) == platform::kCacheLine);

// A program or library.
struct Module {
  Count bias;  // address in memory minus address in the file; meaningful if the path is not empty
  std::array<char, kMostPathBytes + 1> path;
};

// While a thread held a lock of one place, it acquired one of another.
struct Order {
  Count places;  // 0 free | (first's index + 1) << 32 | (second's index + 1)
};

struct alignas(platform::kCacheLine) Process {
  static constexpr std::size_t kPlaces = 2048;
  static constexpr std::size_t kLocks = std::size_t{1} << 20;
  static constexpr std::size_t kModules = 256;
  static constexpr std::size_t kOrders = 4096;

  Number pid;
  Number parent;
  Number forked;   // 1: it is a copy of its parent, 0: it was started as a program
  Number threads;  // that acquired a lock
  Count start_ticks;
  Count start_ns;                        // of CLOCK_MONOTONIC, at start_ticks
  Count last_ticks;                      // of the last time that was read
  BlockedTime blocked;                   // in all places
  Count untracked_holds;                 // a thread held more locks than it can keep
  std::array<Module, kModules> modules;  // the first is the program
  std::array<Order, kOrders> orders;
  std::array<Place, kPlaces> places;
  std::array<Lock, kLocks> locks;
};

struct Recording {
  static constexpr std::size_t kProcesses = 64;
  static constexpr std::uint32_t kVersion = 1;

  Number version;  // kVersion
  Number paused;   // 1: nothing is counted
  Number callers;  // that make up a place; 1 to Place::kMostCallers
  Number claimed;  // processes that began; those beyond kProcesses are not recorded
  std::array<Process, kProcesses> processes;
};

}  // namespace lockbench::observe

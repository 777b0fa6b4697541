// SPDX-License-Identifier: Apache-2.0

// SharedState: what the threads of an investigation tell of themselves, in memory that outlives
// them: the process that runs the lock writes it, and the one that watches over it reads it, even
// when the first has crashed or stands still.
//
// Invariants
//   I1  a line is written by the one thread that has its number; all others only read it.
//   I2  nothing on the state orders anything (state/words.h).
//   I3  the failure is written by whoever changes `failed` from kNot, before it becomes kIs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/threads/mode.h"
#include "harness/stress/trace/recent_events.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::threads {

inline constexpr std::uint32_t kMostThreads = 32;
inline constexpr std::uint32_t kMostKeys = 8;
inline constexpr std::size_t kHoldsKept = 8;  // of a thread; deeper nests are cut off

// What a thread does and holds: from this a stall is explained.
struct PositionWords {
  Word doing;
  Word holds;
  std::array<Word, kHoldsKept> held;
};

struct alignas(platform::kCacheLine) ThreadSlot {
  Word task;  // the kernel's number of the thread
  PositionWords position;
  RecentEvents events;

  // Since the beginning.
  std::array<Word, kOracles> evaluations;
  Word acquisitions;
  Word contended;  // takes of a key that somebody was seen to hold
  Word refusals;
  Word injections;
  Word longest_wait_ns;

  // The longest wait of the fairness epochs, less what the scheduler had a part in, and what was
  // granted to others meanwhile.
  Word starved_ns;
  Word starved_grants;
  Word starved_key;
  Word starved_seed;
};

// What somebody is convicted of, without words: whoever notes it may not trust the heap any more.
struct FailureRecord {
  enum Fault : std::uint8_t {
    kTwoInside,         // `thread` has `key` while `other` does
    kNestBroken,        // the same, and one of them had given back a part of its nest
    kNonOwnerUnlocked,  // the same, after somebody had unlocked what he did not hold
    kLeaseTwice,        // `thread` and `other` both have `lease` of `key`
    kNoSuchLease,       // `thread` has `lease` of `key`
    kOverwritten,       // `thread` saw update `y` of `key` where it had left `x`
    kUpdatesLost,       // `key` was updated `x` times and counts `y`
    kSameUpdate,        // `thread` and `other` both made update `x` of `key`
    kOutOfOrder,        // `thread` had `key` before `other`, whose update came before, gave it back
    kToken,             // `thread` got token `x` of `key` after token `y`
    kTooEarly,          // `thread` was refused `key` after `x` of `y` ns
    kRefusedOwner,      // `thread` was refused `key`, which it holds
    kRefusedAlone,      // `thread` was refused `key` with fewer than `x` others near
    kThrew,             // lock() of `key` threw
    kKept,              // something is kept for `x` keys
    kNotFree,           // of `key` only `x` of `y` could be had
    kStandstill,        // see the positions
    kNoReturn,          // a call on a lock that nobody uses did not return
    kDependent,         // with `key` held, another key could not be had
    kUnanswered,        // try_lock() or try_lock_for() of a held key does not return
    kProcessHangs,      // the process as a whole
    kDied,              // of signal `x`
    kExited,            // with code `x`
  };
  Oracle oracle = Oracle::kExclusion;
  Fault fault = kTwoInside;
  std::uint32_t thread = 0;
  std::uint32_t other = 0;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
};

inline constexpr std::uint32_t kNoThreadNumber = ~std::uint32_t{0};

struct SharedState {
  enum Phase : std::uint64_t {
    kPreparing,
    kRunning,
    kStopping,      // told to stop; not all have
    kProbing,       // a stall: which keys are free?
    kChecking,      // calls on a lock that nobody uses
    kIndependence,  // one key is held, and another is asked for
    kComparing,     // computes; calls nothing of the lock
    kAnswering,     // one key is held, and another thread tries to get it
  };
  enum Failed : std::uint32_t { kNot, kBeing, kIs };

  Word phase;
  Word beat;  // grows with every step that the process as a whole makes
  Word done;

  // The epoch under way.
  Word mode;  // index into modes()
  Word seed;
  Word began_ns;
  Word threads;
  std::array<Word, kModes> epochs;  // finished, of each mode
  Word refused_by_kernel;           // priorities and affinities that could not be set

  // A stall: where each thread stood, and which keys could be acquired (a bit each).
  std::array<PositionWords, kMostThreads> stalled;
  Word probed;
  Word free_keys;

  // The independence of keys: one is held, and another asked for.
  Word held_key;
  Word asked_key;

  Word crashed_thread;  // its number and 1; 0: none, or unknown
  std::atomic<std::uint32_t> failed;
  FailureRecord failure;

  std::array<ThreadSlot, kMostThreads + 1> slots;  // the last is the process's own

  ThreadSlot& own_slot() { return slots[kMostThreads]; }
};

// Whoever comes first notes the failure and ends the process, so that the state stays as it is.
// Async-signal-safe.
[[noreturn]] void fail(SharedState& state, const FailureRecord& failure);

inline void copy(const PositionWords& from, PositionWords& to) {
  put(to.doing, get(from.doing));
  put(to.holds, get(from.holds));
  for (std::size_t i = 0; i < kHoldsKept; ++i) put(to.held[i], get(from.held[i]));
}

// A state in memory that child processes share.
using SharedStateMemory = platform::SharedObject<SharedState>;

}  // namespace lockbench::stress::threads

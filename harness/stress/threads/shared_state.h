// SPDX-License-Identifier: Apache-2.0

// SharedState: what the threads of an epoch record about themselves, in memory that remains after
// they have ended. The process that runs the lock writes it. The supervising process reads it, also
// if the first process has crashed or is stalled. worker_slot.h says who writes the slots.
#pragma once

#include <array>
#include <cstdint>

#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/threads/mode.h"
#include "harness/stress/trace/shared_words.h"
#include "harness/stress/worker_slot.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::threads {

inline constexpr std::uint32_t kMostThreads = 80;
inline constexpr std::uint32_t kOwnSlot = kMostThreads;  // slot of the process as a whole
inline constexpr std::uint32_t kMostKeys = 64;           // one bit each in `free_keys`
inline constexpr std::size_t kHoldsKept = 8;  // of one thread; deeper nested holds are not stored

// The position of a thread: what it does and holds. A stall is explained from this.
struct PositionWords {
  Word doing;
  Word holds;
  std::array<Word, kHoldsKept> held;
};

struct alignas(platform::kCacheLine) ThreadSlot : WorkerSlot {
  Word task;  // the kernel's number of the thread
  PositionWords position;

  // The worst wait in the fairness epochs (oracles::Fairness::worse()), without the part that the
  // scheduler may have caused, and the number of grants to others meanwhile.
  Word starved_ns;
  Word starved_grants;
  Word starved_key;
  Word starved_seed;
};

struct SharedState {
  enum Phase : std::uint64_t {
    kPreparing,
    kRunning,
    kStopping,      // all threads were told to stop; not all of them have
    kProbing,       // a stall: finds out which keys are free
    kChecking,      // calls a lock that no thread uses
    kIndependence,  // one key is held, and another thread requests another key
    kComparing,     // computes, or runs checks with the longer patience
    kAnswering,     // one key is held, and another thread tries to acquire it
    kOtherKeys,     // many keys are held, and the thread that holds them acquires one more
    kFreeKey,       // lock() of `asked_key`, which no thread uses, and which try_lock() did not get
  };
  Word phase;
  Word beat;  // grows with every step of the process as a whole
  Word done;

  // The current epoch.
  Word mode;  // index into modes()
  Word seed;
  Word began_ns;
  Word threads;
  std::array<Word, kModes> epochs;  // number of finished epochs, by mode
  Word refused_by_kernel;           // number of priorities and affinities that could not be set
  Word no_more_threads;             // 1: the machine refused a thread, so the epoch did not end
  Word smaller_crowds;              // number of crowds that it refused a thread

  // A stall: the position of each thread, and the keys that could be acquired (one bit each).
  std::array<PositionWords, kMostThreads> stalled;
  Word probed;
  Word free_keys;

  // The check of independence: the key that is held, and the key that is requested. In kOtherKeys:
  // how many keys are held. In kFreeKey: the key that is requested.
  Word held_key;
  Word asked_key;

  Word crashed_thread;       // its number plus 1; 0: none, or unknown
  Word used_destroyed_lock;  // 1: it crashed because it accessed a lock that was destroyed
  FirstFailure<kMostThreads + 1> failure;

  std::array<ThreadSlot, kMostThreads + 1> slots;  // the last is kOwnSlot

  ThreadSlot& own_slot() { return slots[kOwnSlot]; }
};

// Records the failure and ends the process, so that the state does not change any more. If another
// thread recorded a failure before, that thread ends the process. Async-signal-safe.
[[noreturn]] void fail(SharedState& state, std::uint32_t thread, const FailureRecord& failure);

// Runs the oracles on what was seen of the thread with this number.
template <class Seen>
void check(SharedState& state, std::uint32_t thread, const Seen& seen,
           KeyStates* states = nullptr) {
  if (const auto failure = state.slots[thread].check(seen, states)) fail(state, thread, *failure);
}

// The failure in the state, as text. Requires: the state has a failure.
Failure failure_in(const SharedState& state, const Abilities& abilities);

inline void copy(const PositionWords& from, PositionWords& to) {
  put(to.doing, get(from.doing));
  put(to.holds, get(from.holds));
  for (std::size_t i = 0; i < kHoldsKept; ++i) put(to.held[i], get(from.held[i]));
}

// A SharedState in memory that child processes share.
using SharedStateMemory = platform::SharedObject<SharedState>;

}  // namespace lockbench::stress::threads

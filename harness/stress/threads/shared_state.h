// SPDX-License-Identifier: Apache-2.0

// SharedState: what the threads of an epoch record of themselves, in memory that outlives them: the
// process that runs the lock writes it, and the one that supervises it reads it, even when the
// first has crashed or stands still. Slots are written as worker_slot.h says.
#pragma once

#include <array>
#include <cstdint>

#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/oracles/first_failure.h"
#include "harness/stress/threads/mode.h"
#include "harness/stress/trace/shared_words.h"
#include "harness/stress/worker_slot.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::threads {

inline constexpr std::uint32_t kMostThreads = 32;
inline constexpr std::uint32_t kOwnSlot = kMostThreads;  // of the process as a whole
inline constexpr std::uint32_t kMostKeys = 8;
inline constexpr std::size_t kHoldsKept = 8;  // of a thread; deeper nests are cut off

// What a thread does and holds: from this a stall is explained.
struct PositionWords {
  Word doing;
  Word holds;
  std::array<Word, kHoldsKept> held;
};

struct alignas(platform::kCacheLine) ThreadSlot : WorkerSlot {
  Word task;  // the kernel's number of the thread
  PositionWords position;

  // The longest wait of the fairness epochs, less what the scheduler had a part in, and what was
  // granted to others meanwhile.
  Word starved_ns;
  Word starved_grants;
  Word starved_key;
  Word starved_seed;
};

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
  FirstFailure<kMostThreads + 1> failure;

  std::array<ThreadSlot, kMostThreads + 1> slots;  // the last is the process's own

  ThreadSlot& own_slot() { return slots[kOwnSlot]; }
};

// Notes the failure and ends the process, so that the state stays as it is. If another thread noted
// one before, that thread ends the process. Async-signal-safe.
[[noreturn]] void fail(SharedState& state, std::uint32_t thread, const FailureRecord& failure);

// Lets the oracles check what the thread with this number observed.
template <class Seen>
void check(SharedState& state, std::uint32_t thread, const Seen& seen,
           KeyStates* states = nullptr) {
  if (const auto failure = state.slots[thread].check(seen, states)) fail(state, thread, *failure);
}

// The failure in the state, as text. Requires that there is one.
Failure failure_in(const SharedState& state, const Abilities& abilities);

inline void copy(const PositionWords& from, PositionWords& to) {
  put(to.doing, get(from.doing));
  put(to.holds, get(from.holds));
  for (std::size_t i = 0; i < kHoldsKept; ++i) put(to.held[i], get(from.held[i]));
}

// A state in memory that child processes share.
using SharedStateMemory = platform::SharedObject<SharedState>;

}  // namespace lockbench::stress::threads

// SPDX-License-Identifier: Apache-2.0

// SharedState: what the processes of an epoch record about themselves, in memory that they share
// and that remains after each of them has ended.
//
// Invariants
//   I1  The process with the number of a slot writes the slot's words, except `process`, `life`,
//       `killed_life` and `stopped`, which the fault injector writes.
//   I2  The process that holds the key of a canary writes the canary's words.
//   I3  Nothing here orders other accesses (trace/shared_words.h): only the lock may order them.
//   I4  `killed_life` is increased before the process is killed. So a process that finds the name
//       of a dead process in a canary can tell that it is dead.
#pragma once

#include <array>
#include <cstdint>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/owner_canary.h"
#include "harness/stress/trace/shared_words.h"
#include "harness/stress/worker_slot.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::processes {

inline constexpr std::uint32_t kMostProcesses = 16;
inline constexpr std::uint32_t kOwnSlot = kMostProcesses;       // slot of the supervising process
inline constexpr std::uint32_t kMostKeys = kMostNamedKeys - 1;  // one more is used by nobody

struct alignas(platform::kCacheLine) ProcessSlot : WorkerSlot {
  Word process;  // the kernel's number of the process
  Word life;
  Word killed_life;  // processes up to this life were or will be killed (I4)
  Word stopped;

  // Sums over all processes that had this slot in the epoch.
  std::array<Word, kMostKeys> begun;  // updates
  std::array<Word, kMostKeys> done;
};

struct SharedState {
  Word go;
  Word stop;
  Word began_ns;
  // The quiescent-state checks: a number that grows with each key that they request; 1 plus the key
  // that try_lock() did not get last; 1 plus another key that is held then; whether a process has
  // died that held a key; whether a process holds a key until it is told.
  Word checking;
  Word insists;
  Word nests;
  Word inherits;
  Word holds;
  Word requests;       // of the processes that compete for the keys after a waiter was killed
  Word forks_refused;  // of holders, by the machine; never reset
  std::array<OwnerCanary, kMostKeys> canaries;
  std::array<ProcessSlot, kMostProcesses + 1> slots;  // the last: of the supervising process
  FirstFailure<kMostProcesses + 1> failure;

  // True if the process with that name was killed.
  bool was_killed(std::uint64_t name) const {
    const OwnerName who = name_from(name);
    return get(slots[who.number].killed_life) >= who.life;
  }
};

// Runs the oracles on what was seen of the process with this number. Returns false if one of them
// failed; then the state has a failure.
template <class Seen>
bool check(SharedState& state, std::uint32_t process, const Seen& seen,
           KeyStates* states = nullptr) {
  const auto failure = state.slots[process].check(seen, states);
  if (failure) state.failure.note(process, *failure);
  return !failure;
}

// A SharedState in memory that child processes share.
using SharedStateMemory = platform::SharedObject<SharedState>;

}  // namespace lockbench::stress::processes

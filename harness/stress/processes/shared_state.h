// SPDX-License-Identifier: Apache-2.0

// SharedState: what the processes of an epoch record of themselves, in memory that they share and
// that outlives each of them.
//
// Invariants
//   I1  a slot's words are written by the process that has its number, but for `process`, `life`,
//       `killed_life` and `stopped`, which are written by the fault injector.
//   I2  a canary's words are written by the process that has its key.
//   I3  nothing here orders anything (trace/shared_words.h): the lock must.
//   I4  `killed_life` is raised before the process is killed, so that a process that finds the name
//       of a dead one in a canary knows that it is dead.
#pragma once

#include <array>
#include <cstdint>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/oracles/first_failure.h"
#include "harness/stress/owner_canary.h"
#include "harness/stress/trace/shared_words.h"
#include "harness/stress/worker_slot.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::processes {

inline constexpr std::uint32_t kMostProcesses = 16;
inline constexpr std::uint32_t kOwnSlot = kMostProcesses;  // of the process that supervises
inline constexpr std::uint32_t kMostKeys = 3;

struct alignas(platform::kCacheLine) ProcessSlot : WorkerSlot {
  Word process;  // the kernel's number
  Word life;
  Word killed_life;  // lives up to this one were killed, or are about to be (I4)
  Word stopped;

  // Of all lives in this epoch.
  std::array<Word, kMostKeys> begun;  // updates
  std::array<Word, kMostKeys> done;
};

struct SharedState {
  Word go;
  Word stop;
  Word began_ns;
  Word checking;  // grows with each key that the checks of the quiescent state ask for
  std::array<OwnerCanary, kMostKeys> canaries;
  std::array<ProcessSlot, kMostProcesses + 1> slots;  // the last is the supervising process's
  FirstFailure<kMostProcesses + 1> failure;

  // Whether the process of that name was killed.
  bool was_killed(std::uint64_t name) const {
    const OwnerName who = name_from(name);
    return get(slots[who.number].killed_life) >= who.life;
  }
};

// Lets the oracles check what the process with this number observed; false if one of them failed:
// then the state has a failure.
template <class Seen>
bool check(SharedState& state, std::uint32_t process, const Seen& seen,
           KeyStates* states = nullptr) {
  const auto failure = state.slots[process].check(seen, states);
  if (failure) state.failure.note(process, *failure);
  return !failure;
}

std::int64_t now_ns();

// A state in memory that child processes share.
using SharedStateMemory = platform::SharedObject<SharedState>;

}  // namespace lockbench::stress::processes

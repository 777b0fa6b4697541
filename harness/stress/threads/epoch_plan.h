// SPDX-License-Identifier: Apache-2.0

// EpochPlan: what the threads of an epoch do, generated from a seed. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "harness/stress/litmus/program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/mode.h"

namespace lockbench::stress::threads {

struct EpochPlan {
  Mode mode;
  std::uint64_t seed = 1;
  std::uint32_t keys = 1;  // number of keys that threads use; no thread uses the next one
  bool yields = false;
  bool barriers = false;        // all threads meet at a barrier after each repetition
  bool renews = false;          // at each barrier, the lock is destroyed and made anew
  bool short_timeouts = false;  // most timeouts are drawn anew for each call, and are short
  std::chrono::milliseconds length{50};
  LitmusProgram program;  // each thread repeats its acts
};

// The input from which an epoch is generated.
struct Wish {
  std::uint32_t threads = 4;  // if the mode does not require more
  std::uint32_t processors = 2;
  std::optional<LitmusProgram> program;  // use this program instead of a generated one
};

// The plan of the epoch with this seed. The same arguments give the same plan on every machine.
EpochPlan plan_epoch(const RegisteredLock& entry, const Wish& wish, const Mode& mode,
                     std::uint64_t seed);

// The seed of epoch number `epoch` of a run. Epoch 0 has the seed of the run itself, so that a
// single epoch can be repeated.
std::uint64_t epoch_seed(std::uint64_t seed, std::uint64_t epoch);

}  // namespace lockbench::stress::threads

// SPDX-License-Identifier: Apache-2.0

// EpochPlan: what the threads of an epoch will do, drawn from a seed. Pure.
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
  std::uint32_t keys = 1;  // that threads use; the one after them is touched by none
  bool yields = false;
  bool meets = false;  // all wait for each other after each time through their acts
  std::chrono::milliseconds length{50};
  LitmusProgram program;  // each thread does its acts over and over
};

// What an epoch is drawn for.
struct Wish {
  std::uint32_t threads = 4;  // where the mode does not ask for more
  std::uint32_t processors = 2;
  std::optional<LitmusProgram> program;  // do this, and draw nothing
};

// The plan of the epoch that `seed` stands for. The same for the same arguments, everywhere.
EpochPlan plan_epoch(const RegisteredLock& entry, const Wish& wish, const Mode& mode,
                     std::uint64_t seed);

// The seed of epoch number `epoch` of an investigation; that of epoch 0 is the investigation's own,
// so that one epoch can be had again.
std::uint64_t epoch_seed(std::uint64_t seed, std::uint64_t epoch);

}  // namespace lockbench::stress::threads

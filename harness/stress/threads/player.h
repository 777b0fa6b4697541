// SPDX-License-Identifier: Apache-2.0

// Player: one thread of a run that is logged, or one process. It does its acts over and over and
// notes what it has and what it is about to give back; it judges nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/stress/litmus/program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/notebook.h"
#include "workloads/random.h"

namespace lockbench::stress::threads {

class Player {
 public:
  // What all players of a run share.
  struct Scene {
    LockUnderTest& lock;
    Notebook& log;
    const LitmusProgram& program;
    bool yields = false;  // now and then, between acts and within holds
    std::uint64_t seed = 1;
  };

  Player(const Scene& scene, std::uint32_t number)
      : scene_(scene),
        number_(number),
        acts_(scene.program.threads[number]),
        random_(derive_seed(scene.seed, number)) {}

  // Once through the acts.
  void go_through_acts();

 private:
  struct Hold {
    std::unique_ptr<LockHandle> handle;
    Entry entry;
  };

  std::size_t perform(std::size_t position);
  std::size_t take(std::size_t position);
  bool call(const Act& act, LockHandle& handle);
  void give();
  void disturb();

  const Scene& scene_;
  const std::uint32_t number_;
  const std::vector<Act>& acts_;
  Random random_;
  std::vector<Hold> holds_;
};

}  // namespace lockbench::stress::threads

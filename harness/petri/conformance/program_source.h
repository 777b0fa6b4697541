// SPDX-License-Identifier: Apache-2.0

// ProgramSource: chooses the litmus programs whose traces are checked against a net. RunPlan: one
// run of such a program by threads or processes with their own lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "harness/petri/conformance/trace_checker.h"
#include "harness/petri/conformance/watched_net.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress {

class ProgramSource {
 public:
  ProgramSource(const RegisteredLock& entry, const WatchedNet& net, const KeyMap& keys);

  // Alternates between the small programs that are known to reveal faults and random programs.
  LitmusProgram next(std::mt19937_64& random);

 private:
  LitmusProgram drawn(std::mt19937_64& random) const;

  const Abilities& abilities_;
  const WatchedNet& net_;
  const KeyMap& keys_;
  std::vector<LitmusProgram> known_;
  std::size_t turn_ = 0;
};

// Limits for the length of a run. A longer run is not checked better, and its trace is harder to
// read.
struct RunLength {
  std::size_t acts = 0;  // sum over all threads or processes; each pass counts as one more act
  std::uint32_t most_passes = 0;
};

// How many times each thread repeats its acts; at least once.
std::uint32_t passes_for(const LitmusProgram& program, const RunLength& length);

struct RunPlan {
  LitmusProgram program;     // without A: each thread or process repeats its acts
  std::uint32_t passes = 1;  // number of repetitions
  bool yields = false;
  std::uint64_t seed = 1;

  // The most acts that can be recorded.
  std::size_t acts() const;
};

}  // namespace lockbench::stress

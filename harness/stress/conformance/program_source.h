// SPDX-License-Identifier: Apache-2.0

// ProgramSource: what threads or processes are to do next, to be held against a net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "harness/stress/conformance/trace_checker.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress {

class ProgramSource {
 public:
  ProgramSource(const RegisteredLock& entry, const WatchedNet& net, const KeyMap& keys);

  // The small programs that are known to bring out faults take turns with what is drawn.
  LitmusProgram next(std::mt19937_64& random);

 private:
  LitmusProgram drawn(std::mt19937_64& random) const;

  const Abilities& abilities_;
  const WatchedNet& net_;
  const KeyMap& keys_;
  std::vector<LitmusProgram> known_;
  std::size_t turn_ = 0;
};

// How long a run may get. Longer ones are followed no better, and are told worse.
struct RunLength {
  std::size_t acts = 0;  // of all threads or processes together, and one more a pass
  std::uint32_t most_passes = 0;
};

// How often each thread goes through its acts; at least once.
std::uint32_t passes_for(const LitmusProgram& program, const RunLength& length);

}  // namespace lockbench::stress

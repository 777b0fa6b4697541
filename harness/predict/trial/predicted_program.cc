// SPDX-License-Identifier: Apache-2.0

// The library calls of a lock that is built for predictions, on the machine of the simulation.

#include <iostream>
#include <map>
#include <unistd.h>
#include <utility>

#include "harness/base/exit_code.h"
#include "harness/predict/machine/simulation.h"
#include "harness/predict/trial/program_memory.h"
#include "harness/stress/simulated/simulated_program.h"
#include "harness/symbols/function_names.h"

namespace lockbench::stress {
namespace {

using machine::Simulation;

// Its functions are called only while a simulation runs.
class PredictedProgram final : public SimulatedProgram {
 public:
  // Other threads stand still in the middle of what they do, so the process ends.
  void end_because_of(const char* what, const void* caller) override {
    std::cerr << "lockbench-predicted-trial: " << function_at(caller) << " calls " << what
              << ", which a simulation cannot decide" << std::endl;
    _exit(kBadInput);
  }

  void at(const void*) override {}
  void add_unannounced_word(const void*, unsigned) override {}

  // A thread that found another value returns as if it had been woken, which a futex may do.
  WaitEnd wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns,
               Channels) override {
    return simulation().wait(word, expected, deadline_ns) ? WaitEnd::kWoken : WaitEnd::kTimedOut;
  }
  int wake(const void* word, int count, Channels) override {
    return simulation().wake(word, count);
  }
  // Those that would be moved are woken, too: they find the other word in use, and sleep there.
  int requeue(const void* from, const void*, int wakes, int moves,
              std::optional<std::uint32_t> expected, Channels) override {
    if (expected && simulation().load(from, 4) != *expected) return -1;
    const std::int64_t all = std::int64_t{wakes} + moves;
    return simulation().wake(from, static_cast<int>(std::min<std::int64_t>(all, INT32_MAX)));
  }

  void yield() override { simulation().yield(); }
  void spin_while_held(void* word) override {
    do {
      simulation().pause();
    } while (simulation().load(word, 4) != 0);
  }
  int processor() override { return static_cast<int>(simulation().processor()); }
  int node_of(int) const override { return 0; }

  std::byte* thread_block(std::size_t module) override {
    const auto found = blocks_.find({simulation().thread(), module});
    return found == blocks_.end() ? nullptr : found->second;
  }
  std::byte* add_thread_block(std::size_t module, std::size_t bytes) override {
    return blocks_[{simulation().thread(), module}] = predict::zeroed_lines(bytes);
  }
  // The threads of a trial end after its figures were taken.
  void destroy_at_end_of_thread(void (*)(void*), void*) override {}

 private:
  static Simulation& simulation() { return *Simulation::current(); }

  std::map<std::pair<std::uint32_t, std::size_t>, std::byte*> blocks_;
};

}  // namespace

SimulatedProgram* SimulatedProgram::running() {
  static PredictedProgram program;
  return Simulation::current() == nullptr ? nullptr : &program;
}

}  // namespace lockbench::stress

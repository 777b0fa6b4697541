// SPDX-License-Identifier: Apache-2.0

// ScheduleExplorer: looks for an execution that failed a lock, by all strategies in turn, within a
// budget of time.
//
// Rounds: small programs whole, with no preemption, then one, then two, then three; after each
// round as long again programs drawn at random, by PCT and by random walks. Each round is made
// under each memory model in turn. What is found is made smaller (program, then schedule) before it
// is reported, and replays exactly.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/explore/checked_run.h"
#include "harness/stress/explore/strategies.h"
#include "harness/stress/explore/world.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/litmus/shrink.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress::explore {

// An execution that failed.
struct Counterexample {
  Failure failure;
  std::string strategy;  // that found it
  LitmusProgram program;
  Model model = Model::kTso;
  std::vector<Option> schedule;
  std::vector<TraceStep> steps;
  std::vector<World::OldStore> old_stores;
  std::uint64_t executions = 0;  // before it was found
  double seconds = 0;
};

// A program, and the bound to which all its executions were looked at.
struct ExploredProgram {
  LitmusProgram program;
  Model model = Model::kTso;
  std::uint32_t preemptions = 0;
  std::uint64_t executions = 0;
  std::uint64_t states = 0;
  double seconds = 0;
};

struct Outcome {
  std::optional<Counterexample> counterexample;
  std::vector<ExploredProgram> explored;  // whole
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t drawn = 0;     // of the executions, those drawn at random
  std::uint64_t too_long = 0;  // executions cut off after World::kMostSteps
  std::uint64_t acquisitions = 0;
  std::uint64_t contended = 0;
  Evaluations evaluations;
  bool deterministic = true;
  std::uint64_t lock_accesses = 0;  // of shared words, in calls of the lock
  std::string refusal;              // why the lock cannot be simulated; empty: it can
  double seconds = 0;
};

struct ExploreOptions {
  std::chrono::nanoseconds budget = std::chrono::seconds(10);
  std::uint64_t seed = 1;
  std::uint32_t most_preemptions = 3;
  std::vector<Model> models = {Model::kTso};
  std::optional<LitmusProgram> program;          // explore this one alone
  bool makes_smaller = true;                     // what is found
  std::function<void(const Outcome&)> progress;  // called a few times a second
};

// What is said of a lock whose calls reach no shared word of the platform.
inline constexpr char kSawNoAccess[] =
    "no access of the lock was seen: its shared words are not those of lockbench::platform, or it "
    "has none";

class ScheduleExplorer {
 public:
  ScheduleExplorer(World& world, const RegisteredLock& entry, const ExploreOptions& options);

  Outcome test_lock();

  // One execution, told in full; absent when it failed nobody.
  static std::optional<Counterexample> replay(World& world, const RegisteredLock& entry,
                                              const LitmusProgram& program,
                                              const std::vector<Option>& schedule);

 private:
  using Clock = std::chrono::steady_clock;

  bool found() const { return outcome_.counterexample.has_value(); }
  bool refused() const { return !outcome_.refusal.empty(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  bool over(Clock::time_point until);

  void execute(const LitmusProgram& program, Strategy& strategy, const char* name);
  void explore(const LitmusProgram& program, std::uint32_t bound, Clock::time_point until);
  void explore_round(const std::vector<LitmusProgram>& programs, std::uint32_t bound,
                     Clock::time_point end);
  void walk(Clock::time_point until);
  void look_for_worse(Clock::time_point until);
  void make_smaller();
  bool shrink_program();
  void shorten_schedule();
  bool still_fails(const SmallerProgram& smaller);
  bool fails_alike(const SmallerProgram& smaller, const Counterexample& kept);
  bool fails_alike(const LitmusProgram& program, Strategy& strategy, const Counterexample& kept);
  bool follows(const LitmusProgram& program, const std::vector<Option>& schedule);

  World& world_;
  const RegisteredLock& entry_;
  const ExploreOptions options_;
  const Clock::time_point began_ = Clock::now();
  bool ordering_known_ = false;  // a missing order has been found: look for what it leads to
  Clock::time_point blind_until_ = Clock::time_point::max();
  Clock::time_point told_ = began_;
  Clock::time_point shrink_until_{};
  std::uint64_t walks_ = 0;
  std::uint64_t longest_ = 100;  // steps of an execution so far
  Outcome outcome_;
};

}  // namespace lockbench::stress::explore

// SPDX-License-Identifier: Apache-2.0

// ScheduleExplorer: searches for an execution in which the lock fails, with all strategies in turn,
// within a time budget.
//
// Under c11, small programs are explored without a bound, if they and the lock permit it. For the
// others it works in rounds. Each round explores the small programs exhaustively, without
// preemptions in the first round, then with at most one, two and three. The smallest of them are
// explored with all these bounds in the first round. After that it runs random programs for about
// twice that time, with PCT, partial-order sampling and random walks. Each round uses each memory
// model in turn, up to an equal part of the budget; at the end, the memory model that had less time
// is used next. A counterexample is shrunk before it is reported (first the program, then the
// schedule), and it can be replayed exactly.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/explore/search/counterexample.h"
#include "harness/stress/explore/search/pace.h"
#include "harness/stress/explore/strategy.h"
#include "harness/stress/explore/world/world.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/registered_lock.h"
#include "workloads/random.h"

namespace lockbench::stress::explore {

// A program whose executions up to this bound were explored: all of them, or as many as fitted in
// its time.
struct ExploredProgram {
  LitmusProgram program;
  MemoryModel memory_model = MemoryModel::kTso;
  std::uint32_t preemptions = 0;
  bool every = false;  // without a bound (graph_search.h)
  bool whole = true;
  std::uint64_t executions = 0;
  std::uint64_t states = 0;
  double seconds = 0;
};

// The work that was done under one memory model.
struct MemoryModelWork {
  MemoryModel memory_model = MemoryModel::kTso;
  std::uint64_t executions = 0;
  std::uint64_t drawn = 0;  // executions of random programs
  std::chrono::nanoseconds time{};
};

struct Outcome {
  std::optional<Counterexample> counterexample;
  std::vector<ExploredProgram> explored;
  std::vector<MemoryModelWork> work;  // in the order of ExploreOptions::memory_models
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t too_long = 0;  // executions that were cut off: too many steps, or no time left
  std::uint64_t acquisitions = 0;
  std::uint64_t contended = 0;
  Evaluations evaluations;
  bool deterministic = true;
  std::uint64_t lock_accesses = 0;  // accesses to shared words in calls of the lock
  std::string obstacle;             // why a program had to be explored with a bound; graph_search.h
  std::string refusal;              // why the lock cannot be simulated; empty if it can
  double seconds = 0;
};

struct ExploreOptions {
  std::chrono::nanoseconds budget = std::chrono::seconds(10);
  std::uint64_t seed = 1;
  std::uint32_t most_preemptions = 3;
  std::vector<MemoryModel> memory_models = {MemoryModel::kTso};
  std::optional<LitmusProgram> program;          // explore only this program
  bool exhaustive = false;                       // no random programs; ends when all are explored
  bool makes_smaller = true;                     // whether to shrink counterexamples
  std::function<void(const Outcome&)> progress;  // called a few times a second
};

// The error of a lock of which two executions of one schedule differ.
inline constexpr char kNotTheSameTwice[] =
    "it does not do the same thing twice under one schedule; it uses a clock, random numbers, a "
    "processor's number or an address that the engine does not decide";

// The reason for a refusal if the calls of a lock access no shared word of the platform.
inline constexpr char kSawNoAccess[] =
    "no access of the lock was seen: its shared words are not those of lockbench::platform, or it "
    "has none";

class ScheduleExplorer {
 public:
  ScheduleExplorer(World& world, const RegisteredLock& entry, const ExploreOptions& options);

  Outcome test_lock();

 private:
  using Clock = std::chrono::steady_clock;

  bool found() const { return outcome_.counterexample.has_value(); }
  bool refused() const { return !outcome_.refusal.empty(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  bool over(Clock::time_point until);

  // Returns how the execution ended. It ends at `until` at the latest.
  End execute(const LitmusProgram& program, Strategy& strategy, const char* name,
              Clock::time_point until);
  template <class Search, class Ended>
  bool execute_all(const LitmusProgram& program, Search& search, const char* name,
                   Clock::time_point until, const Ended& ended);
  void explore(const LitmusProgram& program, std::uint32_t bound, Clock::time_point until);
  const char* why_not_every(const LitmusProgram& program) const;
  bool may_explore_every(const LitmusProgram& program);
  bool every_shows_all(const LitmusProgram& program) const;
  void explore_every(const LitmusProgram& program, Clock::time_point until);
  void explore_smallest(const std::vector<LitmusProgram>& programs, Clock::time_point until);
  bool took_too_long(const LitmusProgram& program) const;
  bool is_explored(const LitmusProgram& program, std::uint32_t bound) const;
  void try_long_programs(const std::vector<LitmusProgram>& programs, Clock::time_point end);
  void explore_round(const std::vector<LitmusProgram>& programs, std::uint32_t bound,
                     Clock::time_point end);
  bool fits(const LitmusProgram& program, std::uint32_t bound) const;
  void walk_in_turns(Clock::time_point end);
  void execute_at_random(const LitmusProgram& program, Random& draw, Clock::time_point until);
  void walk(Clock::time_point until);
  LitmusProgram draw_program(Random& draw) const;
  template <class Work>
  void work_under(std::size_t memory_model, const Work& work);
  std::vector<LitmusProgram> programs() const;
  void search_for_cause();
  void search_for_another(Clock::time_point until);

  World& world_;
  const RegisteredLock& entry_;
  const ExploreOptions options_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point blind_until_ = Clock::time_point::max();
  Clock::time_point told_ = began_;
  std::uint64_t walks_ = 0;
  std::uint32_t without_end_ = 0;  // programs that were not explored whole in every interleaving
  // The conditions of the executions from now on. Once a missing order was found, races do not end
  // them and it does not count: the search is for its consequence.
  Conditions conditions_;
  bool only_two_holders_ = false;  // no other failures count
  Pace pace_;                      // of random executions, without patient ones
  std::size_t memory_model_ = 0;   // index in Outcome::work
  Outcome outcome_;
};

}  // namespace lockbench::stress::explore

// SPDX-License-Identifier: Apache-2.0

// The ways to explore: every interleaving up to a bound, priorities at random (PCT), steps at
// random, and one that is told.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "harness/stress/explore/strategy.h"

namespace lockbench::stress::explore {

// Every execution with at most `bound` preemptions (a thread that could go on is made to wait, or
// time passes early) and at most `most_old` choices of something else than the last store, each
// state once.
//
// Source  stateless search by depth; the bound after M. Musuvathi and S. Qadeer, "Iterative Context
//         Bounding for Systematic Testing of Multithreaded Programs", 2007; states told apart by
//         what happened in which partial order (memory.h).
//
//   for (DepthFirst search(2); !search.exhausted(); search.next()) world.run(program, search);
class DepthFirst final : public Strategy {
 public:
  // Remembers at most so many states, 20 to 40 bytes each; more are explored anew.
  static constexpr std::size_t kMostStates = 16'000'000;
  static constexpr std::uint32_t kAnyNumber = 1U << 30;

  explicit DepthFirst(std::uint32_t bound, std::uint32_t most_old = kAnyNumber)
      : bound_{bound, most_old} {}

  std::size_t choose(const Point& point) override;

  // After an execution: on to the next.
  void next();
  bool exhausted() const { return exhausted_; }
  std::size_t states() const { return seen_.size(); }

  // An execution did not repeat what its prefix had done: the program is not deterministic.
  bool diverged() const { return diverged_; }

 private:
  // What an execution took of what is bounded.
  struct Spent {
    std::uint32_t preemptions = 0;
    std::uint32_t old = 0;

    bool covers(const Spent& other) const {
      return preemptions <= other.preemptions && old <= other.old;
    }
  };

  struct Decision {
    std::uint64_t allowed;  // a bit per option
    std::uint64_t state;
    std::uint32_t chosen;
    Spent used;  // before it
    std::uint64_t preempts;
    std::uint64_t old;
  };

  const Spent bound_;
  std::vector<Decision> path_;
  std::size_t position_ = 0;
  absl::flat_hash_map<std::uint64_t, Spent> seen_;  // state to the least that was used
  bool exhausted_ = false;
  bool diverged_ = false;
};

// A random priority for each thread and each store buffer; the highest goes on; at `changes` random
// steps the one that runs falls below all. Finds a bug that needs `changes` orderings with a
// probability of at least 1 / (threads × steps^changes). A thread that pauses falls, too.
//
// Source  S. Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Failure
//         Bugs", 2010.
class Pct final : public Strategy {
 public:
  // `steps` is how long executions are, or were so far.
  Pct(std::uint64_t seed, std::uint32_t changes, std::uint64_t steps);

  std::size_t choose(const Point& point) override;
  void paused(std::uint32_t thread) override;

 private:
  std::int64_t& priority_of(const Option& option);

  std::mt19937_64 random_;
  std::vector<std::int64_t> priorities_;  // 0: not drawn yet
  std::vector<std::uint64_t> changes_;
  std::int64_t lowest_ = 0;
  std::uint32_t old_in_16_;
};

// Each step at random, with a preference for going on that is drawn per execution.
class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed);
  std::size_t choose(const Point& point) override;

 private:
  std::mt19937_64 random_;
  std::uint32_t stay_in_16_;
  std::uint32_t old_in_16_;
};

// What it is told; the first option where an instruction is missing or cannot be followed.
class Replay final : public Strategy {
 public:
  explicit Replay(std::vector<Option> schedule) : schedule_(std::move(schedule)) {}
  std::size_t choose(const Point& point) override;

  // How many instructions could be followed.
  std::size_t followed() const { return followed_; }

 private:
  const std::vector<Option> schedule_;
  std::size_t position_ = 0;
  std::size_t followed_ = 0;
};

}  // namespace lockbench::stress::explore

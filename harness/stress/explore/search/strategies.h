// SPDX-License-Identifier: Apache-2.0

// The strategies: every interleaving up to a bound, random priorities (PCT), a random walk, and the
// replay of a given schedule.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "harness/stress/explore/strategy.h"
#include "workloads/random.h"

namespace lockbench::stress::explore {

// Explores every execution with at most `bound` preemptions and at most `most_old` choices of a
// store other than the last, each state once. A preemption makes a thread wait that could continue,
// lets time pass early, or makes an operation fail or return spuriously.
//
// Source  stateless depth-first search; the bound is from M. Musuvathi and S. Qadeer, "Iterative
//         Context Bounding for Systematic Testing of Multithreaded Programs", 2007; states are
//         distinguished by their events and the partial order of these (memory.h).
//
//   for (DepthFirst search(2); !search.exhausted(); search.next()) world.run(program, search);
class DepthFirst final : public Strategy {
 public:
  // Stores at most this many states, of 20 to 40 bytes each. Further states may be explored again.
  static constexpr std::size_t kMostStates = 16'000'000;
  static constexpr std::uint32_t kAnyNumber = 1U << 30;

  explicit DepthFirst(std::uint32_t bound, std::uint32_t most_old = kAnyNumber)
      : bound_{bound, most_old} {}

  std::size_t choose(const Point& point) override;

  // Call it after each execution. Prepares the next one.
  void next();
  bool exhausted() const { return exhausted_; }
  std::size_t states() const { return seen_.size(); }

  // An execution did not repeat its prefix, so the program is not deterministic.
  bool diverged() const { return diverged_; }

 private:
  // How much of each bound an execution has used.
  struct Spent {
    std::uint32_t preemptions = 0;
    std::uint32_t old = 0;

    bool covers(const Spent& other) const {
      return preemptions <= other.preemptions && old <= other.old;
    }
  };

  struct Decision {
    std::uint64_t allowed;  // one bit for each option
    std::uint64_t state;
    std::uint32_t chosen;
    Spent used;  // before this decision
    std::uint64_t preempts;
    std::uint64_t old;
  };

  const Spent bound_;
  std::vector<Decision> path_;
  std::size_t position_ = 0;
  absl::flat_hash_map<std::uint64_t, Spent> seen_;  // by state: the smallest use of bounds
  bool exhausted_ = false;
  bool diverged_ = false;
};

// Gives each thread and each store buffer a random priority. The option with the highest priority
// is taken. At `changes` random steps, the running thread gets the lowest priority. PCT finds a bug
// that needs `changes` orderings with a probability of at least 1 / (threads × steps^changes). A
// thread that pauses also gets the lowest priority.
//
// Source  S. Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding
//         Bugs", 2010.
class Pct final : public Strategy {
 public:
  // `steps` is the expected length of an execution, or the longest one so far.
  Pct(std::uint64_t seed, std::uint32_t changes, std::uint64_t steps);

  std::size_t choose(const Point& point) override;
  void paused(std::uint32_t thread) override;

 private:
  std::int64_t& priority_of(const Option& option);

  Random random_;
  std::vector<std::int64_t> priorities_;  // 0: not chosen yet
  std::vector<std::uint64_t> changes_;
  std::int64_t lowest_ = 0;
  std::uint32_t old_in_16_;
};

// Gives the next access of each thread a random priority, and takes the highest. An access that has
// been made takes with it the priorities of all that are about to access the same word. So an
// access comes after n others of another thread with a probability of 1 / (n + 1), instead of 1 /
// 2^n if each step is drawn, and which of two comes first at a word is drawn for these two alone.
//
// Source  X. Yuan, J. Yang, R. Gu, "Partial Order Aware Concurrency Sampling", 2018.
class PartialOrderSampling final : public Strategy {
 public:
  explicit PartialOrderSampling(std::uint64_t seed);
  std::size_t choose(const Point& point) override;

 private:
  std::uint64_t& priority_of(const Option& option);

  Random random_;
  std::vector<std::uint64_t> priorities_;  // 0: not chosen yet
  std::uint32_t old_in_16_;
};

// Chooses each step at random. How strongly it prefers to continue is chosen for each execution.
class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed);
  std::size_t choose(const Point& point) override;

 private:
  Random random_;
  std::uint32_t stay_in_16_;
  std::uint32_t old_in_16_;
};

// Follows a schedule. Takes the first option if the schedule has ended or its decision is not
// possible. It is restless up to a kSettle, if the schedule has one.
class ScheduleReplay final : public Strategy {
 public:
  explicit ScheduleReplay(std::vector<Option> schedule);
  std::size_t choose(const Point& point) override;
  bool restless() const override { return restless_; }

  // Number of decisions that could be followed.
  std::size_t followed() const { return followed_; }

 private:
  const std::vector<Option> schedule_;
  bool restless_;
  std::size_t position_ = 0;
  std::size_t followed_ = 0;
};

}  // namespace lockbench::stress::explore

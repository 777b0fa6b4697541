// SPDX-License-Identifier: Apache-2.0

// The simulator leaves out most interleavings, as the same as others (sim/world.h). Here programs
// drawn at random are run by it and, beside it, by a machine with store buffers that leaves out
// nothing: whatever that one can bring about with so many preemptions, the simulator shows with as
// many, and it shows nothing that could not come about at all.

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/explore/world/world.h"
#include "harness/stress/litmus/generate.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/simulated/hooks.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

using ::testing::IsSubsetOf;

constexpr std::size_t kWords = 2;
constexpr std::uint32_t kUnbounded = 1000;

struct Step {
  enum Kind { kLoad, kStore, kStoreAtOnce, kExchange, kFence, kHeavyBarrier };
  Kind kind = kLoad;
  std::size_t word = 0;
  int value = 0;
};

using Program = std::vector<std::vector<Step>>;  // by thread

// What each thread read, in order, and what the words are in the end.
using Outcome = std::vector<int>;

Program generate_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Program program(2 + random() % 2);
  const std::uint64_t most_steps = program.size() == 2 ? 4 : 2;
  int value = 0;
  for (std::vector<Step>& steps : program) {
    for (std::uint64_t count = 1 + random() % most_steps; count > 0; --count) {
      // Loads and plain stores are what buffers reorder: there are more of them.
      constexpr Step::Kind kKinds[] = {Step::kLoad,     Step::kLoad,     Step::kStore,
                                       Step::kStore,    Step::kStore,    Step::kStoreAtOnce,
                                       Step::kExchange, Step::kExchange, Step::kHeavyBarrier};
      steps.push_back({kKinds[random() % std::size(kKinds)], random() % kWords, ++value});
    }
  }
  return program;
}

std::string text_of(const Program& program) {
  std::string text;
  for (const std::vector<Step>& steps : program) {
    for (const Step& step : steps) {
      absl::StrAppend(&text, std::string(1, "lsSxfb"[step.kind]), step.word, ":", step.value, " ");
    }
    text += "| ";
  }
  return text;
}

// Leaves out nothing: each step, each store that leaves a buffer, in every order.
class Machine {
 public:
  Machine(const Program& program, std::uint32_t bound) : program_(program), bound_(bound) {}

  std::set<Outcome> outcomes() {
    State first;
    first.sides.resize(program_.size());
    go_on(first);
    return std::move(outcomes_);
  }

 private:
  struct Side {
    std::size_t next = 0;  // a step; then the end, which empties the buffer; then nothing
    std::vector<int> read;
    std::vector<std::pair<std::size_t, int>> buffer;

    auto operator<=>(const Side&) const = default;
  };

  struct State {
    std::vector<Side> sides;
    std::array<int, kWords> words{};
    std::optional<std::size_t> running;
    std::uint32_t preemptions = 0;

    auto operator<=>(const State&) const = default;
  };

  bool ended(const State& state, std::size_t thread) const {
    return state.sides[thread].next > program_[thread].size();
  }

  static void let_one_out(State& state, std::size_t thread) {
    auto& buffer = state.sides[thread].buffer;
    state.words[buffer.front().first] = buffer.front().second;
    buffer.erase(buffer.begin());
  }

  static void empty(State& state, std::size_t thread) {
    while (!state.sides[thread].buffer.empty()) let_one_out(state, thread);
  }

  static int value_for(const State& state, std::size_t thread, std::size_t word) {
    const auto& buffer = state.sides[thread].buffer;
    for (auto store = buffer.rbegin(); store != buffer.rend(); ++store) {
      if (store->first == word) return store->second;
    }
    return state.words[word];
  }

  void perform(State& state, std::size_t thread) const {
    Side& side = state.sides[thread];
    if (side.next++ == program_[thread].size()) return empty(state, thread);
    const Step& step = program_[thread][side.next - 1];
    switch (step.kind) {
      case Step::kLoad:
        side.read.push_back(value_for(state, thread, step.word));
        break;
      case Step::kStore:
        side.buffer.emplace_back(step.word, step.value);
        break;
      case Step::kStoreAtOnce:
        empty(state, thread);
        state.words[step.word] = step.value;
        break;
      case Step::kExchange:
        empty(state, thread);
        side.read.push_back(std::exchange(state.words[step.word], step.value));
        break;
      case Step::kFence:
        empty(state, thread);
        break;
      case Step::kHeavyBarrier:
        for (std::size_t each = 0; each < program_.size(); ++each) empty(state, each);
        break;
    }
  }

  void go_on(const State& state) {
    if (!seen_.insert(state).second) return;
    bool all_ended = true;
    for (std::size_t thread = 0; thread < program_.size(); ++thread) {
      if (!state.sides[thread].buffer.empty()) {
        State after = state;
        let_one_out(after, thread);
        go_on(after);
      }
      if (ended(state, thread)) continue;
      all_ended = false;
      State after = state;
      const bool preempts =
          state.running && *state.running != thread && !ended(state, *state.running);
      after.preemptions += preempts ? 1 : 0;
      if (after.preemptions > bound_) continue;
      after.running = thread;
      perform(after, thread);
      go_on(after);
    }
    if (!all_ended) return;
    Outcome outcome;
    for (const Side& side : state.sides) {
      outcome.insert(outcome.end(), side.read.begin(), side.read.end());
    }
    outcome.insert(outcome.end(), state.words.begin(), state.words.end());
    outcomes_.insert(outcome);
  }

  const Program& program_;
  const std::uint32_t bound_;
  std::set<State> seen_;
  std::set<Outcome> outcomes_;
};

class Words {
 public:
  void perform(const Step& step, std::vector<int>& read) {
    platform::Atomic<int>& word = words_[step.word];
    switch (step.kind) {
      case Step::kLoad:
        return read.push_back(word.load(std::memory_order_relaxed));
      case Step::kStore:
        return word.store(step.value, std::memory_order_relaxed);
      case Step::kStoreAtOnce:
        return word.store(step.value);
      case Step::kExchange:
        return read.push_back(word.exchange(step.value, std::memory_order_relaxed));
      case Step::kFence:
        return platform::simulated::fence(std::memory_order_seq_cst);
      case Step::kHeavyBarrier:
        return platform::heavy_barrier();
    }
  }

  int value(std::size_t word) const { return words_[word].load(std::memory_order_relaxed); }

 private:
  std::array<platform::Atomic<int>, kWords> words_{};
};

std::set<Outcome> simulated(const Program& program, std::uint32_t bound) {
  static World world(Model::kTso);
  std::set<Outcome> outcomes;
  DepthFirst search(bound);
  for (; !search.exhausted(); search.next()) {
    std::vector<std::vector<int>> read(program.size());
    for (auto& values : read) values.reserve(8);  // not in the simulation's memory, which ends
    Outcome last(kWords);
    const auto execution = world.run(
        [&] {
          Words words;
          const auto live = [&](std::size_t thread) {
            for (const Step& step : program[thread]) words.perform(step, read[thread]);
          };
          std::vector<platform::Thread> threads;
          for (std::size_t i = 0; i < program.size(); ++i) {
            threads.emplace_back([&live, i] { live(i); });
          }
          for (platform::Thread& thread : threads) thread.join();
          for (std::size_t i = 0; i < kWords; ++i) last[i] = words.value(i);
        },
        search);
    if (execution.end != End::kFinished) continue;  // left: it led to a state that is known
    Outcome outcome;
    for (const auto& values : read) outcome.insert(outcome.end(), values.begin(), values.end());
    outcome.insert(outcome.end(), last.begin(), last.end());
    outcomes.insert(outcome);
  }
  EXPECT_FALSE(search.diverged());
  return outcomes;
}

TEST(Tso, ShowsAllThatAMachineCanDoWithAsManyPreemptionsAndNothingElse) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = generate_program(seed);
    const std::set<Outcome> possible = Machine(program, kUnbounded).outcomes();
    for (const std::uint32_t bound : {0U, 1U, 2U, kUnbounded}) {
      const std::set<Outcome> shown = simulated(program, bound);
      EXPECT_THAT(Machine(program, bound).outcomes(), IsSubsetOf(shown))
          << text_of(program) << "with at most " << bound << " preemptions, seed " << seed;
      EXPECT_THAT(shown, IsSubsetOf(possible)) << text_of(program) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace lockbench::stress::explore

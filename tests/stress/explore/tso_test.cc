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
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stress/explore/weak_program.h"

namespace lockbench::stress::explore {
namespace {

using ::testing::IsSubsetOf;

constexpr std::size_t kWords = 2;

WeakProgram generate_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  WeakProgram program(2 + random() % 2);
  const std::uint64_t most_steps = program.size() == 2 ? 4 : 2;
  int value = 0;
  for (auto& thread : program) {
    for (std::uint64_t count = 1 + random() % most_steps; count > 0; --count) {
      // Loads and plain stores are what buffers reorder: there are more of them.
      using O = WeakOperation;
      constexpr auto kRelaxed = std::memory_order_relaxed;
      constexpr std::pair<O::Kind, std::memory_order> kKinds[] = {
          {O::kLoad, kRelaxed},        {O::kLoad, kRelaxed},
          {O::kStore, kRelaxed},       {O::kStore, kRelaxed},
          {O::kStore, kRelaxed},       {O::kStore, std::memory_order_seq_cst},
          {O::kExchange, kRelaxed},    {O::kExchange, kRelaxed},
          {O::kHeavyBarrier, kRelaxed}};
      const auto [kind, order] = kKinds[random() % std::size(kKinds)];
      thread.push_back({.kind = kind, .word = random() % kWords, .value = ++value, .order = order});
    }
  }
  return program;
}

// Leaves out nothing: each step, each store that leaves a buffer, in every order.
class Machine {
 public:
  Machine(const WeakProgram& program, std::uint32_t bound) : program_(program), bound_(bound) {}

  std::set<WeakOutcome> outcomes() {
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
    std::array<int, kWeakWords> words{};
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
    const WeakOperation& step = program_[thread][side.next - 1];
    switch (step.kind) {
      case WeakOperation::kLoad:
        side.read.push_back(value_for(state, thread, step.word));
        break;
      case WeakOperation::kStore:
        side.buffer.emplace_back(step.word, step.value);
        if (step.order == std::memory_order_seq_cst) empty(state, thread);
        break;
      case WeakOperation::kExchange:
        empty(state, thread);
        side.read.push_back(std::exchange(state.words[step.word], step.value));
        break;
      default:  // a heavy barrier
        for (std::size_t each = 0; each < program_.size(); ++each) empty(state, each);
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
    WeakOutcome outcome;
    for (const Side& side : state.sides) {
      outcome.insert(outcome.end(), side.read.begin(), side.read.end());
    }
    outcome.insert(outcome.end(), state.words.begin(), state.words.end());
    outcomes_.insert(outcome);
  }

  const WeakProgram& program_;
  const std::uint32_t bound_;
  std::set<State> seen_;
  std::set<WeakOutcome> outcomes_;
};

TEST(Tso, ShowsAllThatAMachineCanDoWithAsManyPreemptionsAndNothingElse) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const WeakProgram program = generate_program(seed);
    const std::set<WeakOutcome> possible = Machine(program, kUnbounded).outcomes();
    for (const std::uint32_t bound : {0U, 1U, 2U, kUnbounded}) {
      const std::set<WeakOutcome> shown = explored(program, MemoryModel::kTso, bound).outcomes;
      EXPECT_THAT(Machine(program, bound).outcomes(), IsSubsetOf(shown))
          << to_text(program) << "with at most " << bound << " preemptions, seed " << seed;
      EXPECT_THAT(shown, IsSubsetOf(possible)) << to_text(program) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace lockbench::stress::explore

// SPDX-License-Identifier: Apache-2.0

// How many executions the exhaustive search makes of tiny programs. Every order of steps that
// matter is among them; and the exact numbers are held fast, so that nobody makes the search leave
// something out, or do it twice, without noticing.

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/explore/world/world.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

constexpr std::uint32_t kUnbounded = 1000;

constexpr auto kRelaxed = std::memory_order_relaxed;

struct Words {
  platform::Atomic<int> x{0};
  platform::Atomic<int> y{0};
};

// What a thread does; the numbers that it read are added to the second.
using Body = std::function<void(Words&, std::vector<int>&)>;
using Outcome = std::vector<std::vector<int>>;

struct ExploredProgram {
  std::set<Outcome> outcomes;
  std::uint64_t finished = 0;  // the others were left where they had come to a known state
};

ExploredProgram explore(Model model, std::uint32_t bound, const std::vector<Body>& bodies) {
  World world(model);
  ExploredProgram explored;
  DepthFirst search(bound);
  for (; !search.exhausted(); search.next()) {
    Outcome outcome(bodies.size());
    for (std::vector<int>& read : outcome) read.reserve(2);  // outside of the simulation
    const auto program = [&] {
      Words words;
      std::vector<platform::Thread> threads;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        threads.emplace_back([&, i] { bodies[i](words, outcome[i]); });
      }
      for (platform::Thread& thread : threads) thread.join();
    };
    if (world.run(program, search).end != End::kFinished) continue;
    ++explored.finished;
    explored.outcomes.insert(outcome);
  }
  EXPECT_FALSE(search.diverged());
  return explored;
}

void store_x(Words& words, std::vector<int>&) {
  words.x.store(1, kRelaxed);
}
void store_y(Words& words, std::vector<int>&) {
  words.y.store(1, kRelaxed);
}
void load_x(Words& words, std::vector<int>& read) {
  read.push_back(words.x.load(kRelaxed));
}
void store_x_load_y(Words& words, std::vector<int>& read) {
  words.x.store(1, kRelaxed);
  read.push_back(words.y.load(kRelaxed));
}
void store_y_load_x(Words& words, std::vector<int>& read) {
  words.y.store(1, kRelaxed);
  read.push_back(words.x.load(kRelaxed));
}
void add(Words& words, std::vector<int>& read) {
  read.push_back(words.x.fetch_add(1, kRelaxed));
}
void add_twice(Words& words, std::vector<int>& read) {
  add(words, read);
  add(words, read);
}

// Of n threads with k steps each on one word there are (n k)! / (k!)^n.
TEST(Executions, ShowEveryOrderOfStepsThatMatter) {
  for (const Model model : {Model::kSequential, Model::kTso}) {
    const auto orders = [&](const std::vector<Body>& bodies) {
      return explore(model, kUnbounded, bodies).outcomes.size();
    };
    EXPECT_EQ(orders({add, add}), 2U);
    EXPECT_EQ(orders({add, add, add}), 6U);
    EXPECT_EQ(orders({add, add, add, add}), 24U);
    EXPECT_EQ(orders({add_twice, add_twice}), 6U);
    EXPECT_EQ(orders({add_twice, add_twice, add_twice}), 90U);
  }
}

// More than there are orders: two that differ only in what nobody can see are one state, but where
// nothing is left to decide both come to their end.
TEST(Executions, AreAsManyAsTheyWere) {
  using Numbers = std::vector<std::uint64_t>;  // with no preemption, 1, 2, 3 and any number
  const auto numbers = [](Model model, const std::vector<Body>& bodies) {
    Numbers finished;
    for (const std::uint32_t bound : {0U, 1U, 2U, 3U, kUnbounded}) {
      finished.push_back(explore(model, bound, bodies).finished);
    }
    return finished;
  };
  constexpr Model kSequential = Model::kSequential;
  constexpr Model kTso = Model::kTso;
  EXPECT_EQ(numbers(kSequential, {load_x, load_x}), (Numbers{3, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(kTso, {load_x, load_x}), (Numbers{3, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(kSequential, {store_x, store_x}), (Numbers{3, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(kTso, {store_x, store_x}), (Numbers{3, 11, 18, 18, 18}));
  EXPECT_EQ(numbers(kTso, {store_x, store_y}), (Numbers{3, 7, 10, 10, 10}));
  EXPECT_EQ(numbers(kTso, {store_x, load_x}), (Numbers{3, 6, 8, 8, 8}));
  EXPECT_EQ(numbers(kSequential, {store_x_load_y, store_y_load_x}), (Numbers{3, 9, 13, 14, 14}));
  EXPECT_EQ(numbers(kTso, {store_x_load_y, store_y_load_x}), (Numbers{3, 24, 50, 55, 55}));
  EXPECT_EQ(numbers(kTso, {add, add, add}), (Numbers{13, 27, 32, 32, 32}));
  EXPECT_EQ(numbers(kTso, {add_twice, add_twice}), (Numbers{3, 9, 15, 16, 16}));
}

}  // namespace
}  // namespace lockbench::stress::explore

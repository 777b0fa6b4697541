// SPDX-License-Identifier: Apache-2.0

// GraphSearch shows what the exhaustive search by schedules shows, of threads that sleep and wake
// each other. For what they only read and store, see c11_test.cc.

#include "harness/stress/explore/search/graph_search.h"

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/explore/world/world.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

constexpr std::uint32_t kWordsOfSleepers = 2;
constexpr std::size_t kMostActs = 4;

struct Act {
  enum Kind { kLoad, kStore, kAdd, kSleep, kWakeOne, kWakeAll };
  Kind kind = kLoad;
  std::uint32_t word = 0;
  std::uint32_t value = 0;  // that it stores, or with which it sleeps
};
using Program = std::vector<std::vector<Act>>;

std::string to_text(const Program& program) {
  static constexpr const char* kNames[] = {"load", "store", "add", "sleep", "wake one", "wake all"};
  std::string text;
  for (const auto& thread : program) {
    for (const Act& act : thread) {
      absl::StrAppend(&text, kNames[act.kind], " ", act.word, " ", act.value, "; ");
    }
    text += "| ";
  }
  return text;
}

Program draw_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr Act::Kind kKinds[] = {Act::kLoad,  Act::kStore,   Act::kStore,   Act::kAdd,
                                  Act::kSleep, Act::kWakeOne, Act::kWakeOne, Act::kWakeAll};
  Program program(2 + random() % 2);
  const std::size_t most = program.size() == 2 ? kMostActs : 2;
  for (auto& thread : program) {
    for (std::size_t count = 1 + random() % most; count > 0; --count) {
      thread.push_back({.kind = kKinds[random() % std::size(kKinds)],
                        .word = static_cast<std::uint32_t>(random() % kWordsOfSleepers),
                        .value = static_cast<std::uint32_t>(random() % 2)});
    }
  }
  return program;
}

// For each thread what it read, and how many acts it finished. It never ends if it sleeps for ever.
using Outcome = std::vector<std::uint32_t>;

void perform(const Act& act, platform::FutexWord& word, std::vector<std::uint32_t>& seen) {
  switch (act.kind) {
    case Act::kLoad:
      return seen.push_back(word.load(std::memory_order_relaxed));
    case Act::kStore:
      return word.store(act.value, std::memory_order_relaxed);
    case Act::kAdd:
      return seen.push_back(word.fetch_add(1, std::memory_order_relaxed));
    case Act::kSleep:
      return void(platform::futex_wait(word, act.value));
    case Act::kWakeOne:
      return platform::futex_wake(word, 1);
    case Act::kWakeAll:
      return platform::futex_wake(word, 8);
  }
}

// Calls `ended` after each execution that was not left in the middle.
template <class Search, class Ended>
std::set<Outcome> outcomes_by(const Program& program, Search&& search, const Ended& ended) {
  World world(MemoryModel::kC11);
  std::set<Outcome> outcomes;
  for (; !search.exhausted(); search.next()) {
    std::vector<std::vector<std::uint32_t>> seen(program.size());
    for (auto& values : seen) values.reserve(kMostActs + 1);  // not in the simulation's memory
    std::vector<std::uint32_t> finished(program.size());
    const auto execution = world.run(
        [&] {
          std::array<platform::FutexWord, kWordsOfSleepers> words{};
          std::vector<platform::Thread> threads;
          for (std::size_t i = 0; i < program.size(); ++i) {
            threads.emplace_back([&, i] {
              for (const Act& act : program[i]) {
                perform(act, words[act.word], seen[i]);
                ++finished[i];
              }
            });
          }
          for (platform::Thread& thread : threads) thread.join();
        },
        search);
    if (execution.end != End::kFinished && execution.end != End::kStuck) continue;
    ended();
    Outcome outcome;
    for (const auto& values : seen) outcome.insert(outcome.end(), values.begin(), values.end());
    outcome.insert(outcome.end(), finished.begin(), finished.end());
    outcomes.insert(outcome);
  }
  return outcomes;
}

TEST(GraphSearch, ShowsWhatSchedulesShowOfThreadsThatSleep) {
  constexpr std::uint64_t kPrograms = 500;
  std::size_t with_several = 0, executions = 0, twice = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Program program = draw_program(seed);
    GraphSearch graphs;
    std::set<std::uint64_t> hashes;
    const std::set<Outcome> seen = outcomes_by(program, graphs, [&] {
      ++executions;
      twice += hashes.insert(graphs.graph().hash()).second ? 0 : 1;
    });
    ASSERT_EQ(graphs.obstacle(), "") << to_text(program);
    const std::set<Outcome> all = outcomes_by(program, DepthFirst(DepthFirst::kAnyNumber), [] {});
    ASSERT_EQ(seen, all) << to_text(program) << "seed " << seed;
    with_several += all.size() > 1;
  }
  EXPECT_GT(with_several, kPrograms / 4) << "most programs have one outcome, and show little";
  EXPECT_LE(twice, executions / 100);
}

}  // namespace
}  // namespace lockbench::stress::explore

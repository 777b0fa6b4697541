// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/explore/weak_program.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include "harness/stress/explore/search/graph_search.h"
#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/explore/world/world.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/simulated/hooks.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

constexpr std::pair<std::string_view, std::memory_order> kOrders[] = {
    {"rlx", std::memory_order_relaxed},
    {"acq", std::memory_order_acquire},
    {"rel", std::memory_order_release},
    {"ar", std::memory_order_acq_rel},
    {"sc", std::memory_order_seq_cst}};

constexpr std::string_view kNamesOfWords = "xyzw";

[[noreturn]] void refuse(std::string_view text) {
  std::fprintf(stderr, "`%s` is no operation\n", std::string(text).c_str());
  std::abort();
}

int number_from(std::string_view text, std::string_view whole) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) refuse(whole);
  return number;
}

// The parts between separators; empty ones are left out.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// The two parts of a text with one separator.
std::pair<std::string_view, std::string_view> halves(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) refuse(text);
  return {text.substr(0, at), text.substr(at + 1)};
}

WeakOperation operation_from(std::string_view text) {
  const auto parts = halves(text, '.');
  WeakOperation operation;
  bool known = false;
  for (const auto& [name, order] : kOrders) {
    if (name != parts.second) continue;
    operation.order = order;
    known = true;
  }
  std::string_view rest = parts.first;
  if (!known || rest.empty()) refuse(text);
  const char first = rest.front();
  rest.remove_prefix(1);
  if (first == 'F' || first == 'H') {
    operation.kind = first == 'F' ? WeakOperation::kFence : WeakOperation::kHeavyBarrier;
    return operation;
  }
  operation.word = kNamesOfWords.find(first);
  if (operation.word == std::string_view::npos) refuse(text);
  if (rest.empty()) return operation;
  const char what = rest.front();
  rest.remove_prefix(1);
  if (what == '?') {
    const auto values = halves(rest, ':');
    operation.kind = WeakOperation::kCompare;
    operation.expected = number_from(values.first, text);
    operation.value = number_from(values.second, text);
    return operation;
  }
  operation.value = number_from(rest, text);
  if (what == '=') operation.kind = WeakOperation::kStore;
  if (what == '!') operation.kind = WeakOperation::kExchange;
  if (what == '+') operation.kind = WeakOperation::kAdd;
  if (operation.kind == WeakOperation::kLoad) refuse(text);
  return operation;
}

std::string to_text(const WeakOperation& operation) {
  const char barrier = operation.kind == WeakOperation::kFence ? 'F' : 'H';
  std::string text(1, operation.has_word() ? kNamesOfWords[operation.word] : barrier);
  if (operation.kind == WeakOperation::kStore) absl::StrAppend(&text, "=", operation.value);
  if (operation.kind == WeakOperation::kExchange) absl::StrAppend(&text, "!", operation.value);
  if (operation.kind == WeakOperation::kAdd) absl::StrAppend(&text, "+", operation.value);
  if (operation.kind == WeakOperation::kCompare) {
    absl::StrAppend(&text, "?", operation.expected, ":", operation.value);
  }
  for (const auto& [name, order] : kOrders) {
    if (order == operation.order) text += "." + std::string(name);
  }
  return text;
}

class Words {
 public:
  void perform(const WeakOperation& operation, std::vector<int>& read) {
    platform::Atomic<int>& word = words_[operation.word];
    switch (operation.kind) {
      case WeakOperation::kFence:
        return platform::simulated::fence(operation.order);
      case WeakOperation::kHeavyBarrier:
        return platform::heavy_barrier();
      case WeakOperation::kLoad:
        return read.push_back(word.load(operation.order));
      case WeakOperation::kStore:
        return word.store(operation.value, operation.order);
      case WeakOperation::kExchange:
        return read.push_back(word.exchange(operation.value, operation.order));
      case WeakOperation::kAdd:
        return read.push_back(word.fetch_add(operation.value, operation.order));
      case WeakOperation::kCompare:
        break;
    }
    int seen = operation.expected;
    word.compare_exchange_strong(seen, operation.value, operation.order, operation.failure());
    read.push_back(seen);
  }
  int value(std::size_t word) const { return words_[word].load(std::memory_order_relaxed); }

 private:
  std::array<platform::Atomic<int>, kWeakWords> words_{};
};

}  // namespace

namespace {

World& world_of(MemoryModel memory_model) {
  static std::map<MemoryModel, World> worlds;
  return worlds.try_emplace(memory_model, memory_model).first->second;
}

// Executes the program once. Absent: the execution was left.
std::optional<WeakOutcome> outcome_of(const WeakProgram& program, World& world,
                                      Strategy& strategy) {
  std::vector<std::vector<int>> read(program.size());
  for (auto& values : read) values.reserve(8);  // not in the simulation's memory, which ends
  WeakOutcome last(kWeakWords);
  const auto execution = world.run(
      [&] {
        Words words;
        std::vector<platform::Thread> threads;
        for (std::size_t i = 0; i < program.size(); ++i) {
          threads.emplace_back([&, i] {
            for (const WeakOperation& operation : program[i]) words.perform(operation, read[i]);
          });
        }
        for (platform::Thread& thread : threads) thread.join();
        for (std::size_t i = 0; i < kWeakWords; ++i) last[i] = words.value(i);
      },
      strategy);
  if (execution.end != End::kFinished) return std::nullopt;
  WeakOutcome outcome;
  for (const auto& values : read) outcome.insert(outcome.end(), values.begin(), values.end());
  outcome.insert(outcome.end(), last.begin(), last.end());
  return outcome;
}

}  // namespace

Explored explored(const WeakProgram& program, MemoryModel memory_model, std::uint32_t preemptions) {
  Explored all;
  for (DepthFirst search(preemptions); !search.exhausted(); search.next()) {
    const auto outcome = outcome_of(program, world_of(memory_model), search);
    EXPECT_FALSE(search.diverged());
    if (!outcome) continue;
    ++all.finished;
    all.outcomes.insert(*outcome);
  }
  return all;
}

Explored explored_by_graphs(const WeakProgram& program) {
  Explored all;
  std::set<std::uint64_t> graphs;
  GraphSearch search;
  for (; !search.exhausted(); search.next()) {
    const auto outcome = outcome_of(program, world_of(MemoryModel::kC11), search);
    if (!outcome) continue;
    ++all.finished;
    all.outcomes.insert(*outcome);
    EXPECT_TRUE(graphs.insert(search.graph().hash()).second)
        << "one graph was explored twice: " << to_text(program);
  }
  EXPECT_EQ(search.obstacle(), "") << to_text(program);
  return all;
}

WeakProgram weak_program_from(std::string_view text) {
  WeakProgram program;
  for (const std::string_view thread : split(text, '|')) {
    program.emplace_back();
    for (const std::string_view part : split(thread, ' ')) {
      program.back().push_back(operation_from(part));
    }
  }
  return program;
}

std::string to_text(const WeakProgram& program) {
  std::string text;
  for (const auto& thread : program) {
    if (!text.empty()) text += "| ";
    for (const WeakOperation& operation : thread) text += to_text(operation) + " ";
  }
  return text;
}

bool is_outcome(std::string_view text, const WeakOutcome& outcome) {
  const std::size_t reads = outcome.size() - kWeakWords;
  std::size_t read = 0;
  bool same = true;
  for (const std::string_view part : split(text, ' ')) {
    if (part == "*") {
      ++read;
    } else if (part.size() > 1 && part[1] == '=') {
      const std::size_t word = kNamesOfWords.find(part[0]);
      same = same && outcome[reads + word] == number_from(part.substr(2), text);
    } else if (read < reads) {
      same = same && outcome[read++] == number_from(part, text);
    } else {
      refuse(text);
    }
  }
  return same;
}

}  // namespace lockbench::stress::explore

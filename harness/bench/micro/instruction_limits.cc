// SPDX-License-Identifier: Apache-2.0

// Limits within one thread: instructions, and calls that never leave user mode.
//
// Each loop does one thing per iteration and nothing else, on a cache line that its core owns. The
// compilers in use never remove atomic operations or reads of the time-stamp counter. Results stay
// in registers, because benchmark::DoNotOptimize() would store each one to memory.
#include <chrono>
#include <string>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/limits.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"

namespace lockbench {
namespace {

constexpr const char* kNotLastStored = "the word is not what was stored last";

// Google Benchmark's own loop, which every figure includes. A register whose contents the compiler
// does not know keeps the compiler from removing it.
BenchmarkResult empty_loop(benchmark::State& state) {
  int unknown = 0;
  for (auto _ : state) benchmark::DoNotOptimize(unknown);
  return {};
}

// relaxed: on x86-64, a stronger order costs a load nothing; elsewhere, its cost is not what this
// benchmark measures. The loads are independent of each other: the figure is how often one can
// start, not how long it takes.
BenchmarkResult load(benchmark::State& state) {
  LimitWord word;
  std::uint64_t seen = 0;
  for (auto _ : state) seen |= word.value.load(std::memory_order_relaxed);
  return finding_if(seen == 0, "a load did not give what was stored");
}

// relaxed: as for load(). The stores wait in the store buffer while the loop continues.
BenchmarkResult store(benchmark::State& state) {
  LimitWord word;
  std::uint64_t stored = 0;
  for (auto _ : state) word.value.store(++stored, std::memory_order_relaxed);
  return finding_if(word.value.load(std::memory_order_relaxed) == stored, kNotLastStored);
}

// acquire: what acquiring a lock needs. This is an exchange because a lock needs its result, too.
// The compiler could turn an addition whose result is not used into a cheaper instruction.
BenchmarkResult rmw(benchmark::State& state) {
  LimitWord word;
  std::uint64_t stored = 0;
  std::uint64_t unexpected = 0;
  for (auto _ : state) {
    unexpected |= word.value.exchange(stored + 1, std::memory_order_acquire) ^ stored;
    ++stored;
  }
  return finding_if(unexpected == 0, "an exchange did not give back what was stored last");
}

// acquire to lock and release to unlock: the lowest possible cost of a plain lock and its unlock.
// The store must leave the store buffer before the next exchange, which is part of the cost.
BenchmarkResult rmw_and_store(benchmark::State& state) {
  LimitWord word;
  std::uint64_t seen = 0;
  for (auto _ : state) {
    seen |= word.value.exchange(1, std::memory_order_acquire);
    word.value.store(0, std::memory_order_release);
  }
  return finding_if(seen == 0, "an exchange found the word taken");
}

// acquire to lock and release to unlock, with an exchange each: the cost of a lock whose unlock
// must find out whether a thread waits.
BenchmarkResult two_rmw(benchmark::State& state) {
  LimitWord word;
  std::uint64_t seen = 0;
  for (auto _ : state) {
    seen |= word.value.exchange(1, std::memory_order_acquire);
    seen |= word.value.exchange(0, std::memory_order_release) ^ 1;
  }
  return finding_if(seen == 0, "an exchange did not give back what was stored last");
}

// seq_cst: no later load moves before the store. This is the cost of a lock that announces itself
// with a store and then checks whether another thread did the same.
BenchmarkResult store_and_fence(benchmark::State& state) {
  LimitWord word;
  std::uint64_t stored = 0;
  for (auto _ : state) word.value.store(++stored, std::memory_order_seq_cst);
  return finding_if(word.value.load(std::memory_order_relaxed) == stored, kNotLastStored);
}

BenchmarkResult pause(benchmark::State& state) {
  for (auto _ : state) platform::pause();
  return {};
}

BenchmarkResult clock(benchmark::State& state) {
  platform::Time last = platform::now();
  bool forward = true;
  for (auto _ : state) {
    const platform::Time now = platform::now();
    forward &= now >= last;
    last = now;
  }
  return finding_if(forward, "the clock went backward");
}

#if defined(__x86_64__) || defined(__i386__)
BenchmarkResult rdtsc(benchmark::State& state) {
  std::uint64_t sum = 0;
  for (auto _ : state) sum += __rdtsc();
  benchmark::DoNotOptimize(sum);
  return {};
}

// rdtscp waits for earlier instructions; rdtsc does not.
BenchmarkResult rdtscp(benchmark::State& state) {
  std::uint64_t sum = 0;
  unsigned processor = 0;
  for (auto _ : state) sum += __rdtscp(&processor);
  benchmark::DoNotOptimize(sum);
  return {};
}
#else
BenchmarkResult rdtsc(benchmark::State&) {
  return {.failure = "this kind of processor has no such instruction"};
}

BenchmarkResult rdtscp(benchmark::State& state) {
  return rdtsc(state);
}
#endif

}  // namespace

void add_instruction_limits(Suite& suite) {
  const std::pair<const char*, BenchmarkResult (*)(benchmark::State&)> limits[] = {
      {"empty_loop", empty_loop},
      {"load", load},
      {"store", store},
      {"rmw", rmw},
      {"rmw_and_store", rmw_and_store},
      {"two_rmw", two_rmw},
      {"store_and_fence", store_and_fence},
      {"pause", pause},
      {"clock", clock},
      {"rdtsc", rdtsc},
      {"rdtscp", rdtscp},
  };
  for (const auto& [name, body] : limits) {
    suite.add(std::string("limit/") + name, limit_cell(name), body);
  }
}

}  // namespace lockbench

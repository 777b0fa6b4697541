// SPDX-License-Identifier: Apache-2.0

// Limits within one thread: instructions, and calls that never leave user mode.
//
// Each loop does one thing an iteration and nothing else, on a line that its core owns. Atomics are
// never elided by the compilers in use, nor is the time-stamp counter; results stay in registers,
// for benchmark::DoNotOptimize() would store each to memory.
#include <chrono>
#include <string>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

#include "harness/micro/benchmarks.h"
#include "harness/micro/limits.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"

namespace lockbench {
namespace {

constexpr const char* kNotLastStored = "the word is not what was stored last";

// Google Benchmark's own loop, kept alive by a register that the compiler knows nothing of: what
// every figure includes.
BenchmarkResult empty_loop(benchmark::State& state) {
  int unknown = 0;
  for (auto _ : state) benchmark::DoNotOptimize(unknown);
  return {};
}

// relaxed: an order costs a load nothing on x86-64, and elsewhere it is not what is asked for. The
// loads are independent of each other: this is how often one can start, not how long it takes.
BenchmarkResult load(benchmark::State& state) {
  LimitWord word;
  std::uint64_t seen = 0;
  for (auto _ : state) seen |= word.value.load(std::memory_order_relaxed);
  return finding_if(seen == 0, "a load did not give what was stored");
}

// relaxed: as for load(). The stores wait in the store buffer while the loop goes on.
BenchmarkResult store(benchmark::State& state) {
  LimitWord word;
  std::uint64_t stored = 0;
  for (auto _ : state) word.value.store(++stored, std::memory_order_relaxed);
  return finding_if(word.value.load(std::memory_order_relaxed) == stored, kNotLastStored);
}

// acquire: what taking a lock needs. An exchange, for its result is needed there, too: an addition
// whose result is dropped could become a cheaper instruction.
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

// acquire to take and release to give back: the least that a plain lock and its unlock can cost.
// The store is drained before the next exchange, which is part of the price.
BenchmarkResult rmw_and_store(benchmark::State& state) {
  LimitWord word;
  std::uint64_t seen = 0;
  for (auto _ : state) {
    seen |= word.value.exchange(1, std::memory_order_acquire);
    word.value.store(0, std::memory_order_release);
  }
  return finding_if(seen == 0, "an exchange found the word taken");
}

// acquire to take and release to give back, by an exchange each: what is paid by a lock whose
// unlock must learn whether a thread waits.
BenchmarkResult two_rmw(benchmark::State& state) {
  LimitWord word;
  std::uint64_t seen = 0;
  for (auto _ : state) {
    seen |= word.value.exchange(1, std::memory_order_acquire);
    seen |= word.value.exchange(0, std::memory_order_release) ^ 1;
  }
  return finding_if(seen == 0, "an exchange did not give back what was stored last");
}

// seq_cst: no later load passes the store. What a lock pays that announces itself with a store and
// then looks whether somebody else did.
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

// Waits for earlier instructions, which rdtsc does not.
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

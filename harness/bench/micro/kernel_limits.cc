// SPDX-License-Identifier: Apache-2.0

// Limits of calls into the kernel by one thread while no other thread of this process runs.
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/limits.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/spin.h"

namespace lockbench {
namespace {

// The way into the kernel and back, with almost no work there.
BenchmarkResult system_call(benchmark::State& state) {
  long parent = 0;
  for (auto _ : state) parent = syscall(SYS_getppid);
  return finding_if(parent == getppid(), "getppid did not tell the parent");
}

// No other thread waits for this processor, unless the machine is busy; then the figure includes
// another thread's time slice.
BenchmarkResult yield(benchmark::State& state) {
  for (auto _ : state) platform::yield();
  return {};
}

// No thread sleeps on the word: the cost of an unlock that cannot rule out a sleeping thread.
BenchmarkResult futex_wake(benchmark::State& state) {
  platform::FutexWord word{0};
  for (auto _ : state) platform::futex_wake(word, 1);
  return {};
}

// The companion sleeps, so no other processor runs this process and none is interrupted.
BenchmarkResult membarrier_idle(benchmark::State& state) {
  if (std::string failure = register_membarrier(); !failure.empty()) return {.failure = failure};
  bool done = true;
  for (auto _ : state) done &= membarrier();
  return finding_if(done, "membarrier failed after it was registered");
}

// A thread that does nothing, from its start until it has been joined.
BenchmarkResult thread_create(benchmark::State& state) {
  std::uint64_t ran = 0;
  for (auto _ : state) std::thread([&ran] { ++ran; }).join();
  return finding_if(ran == static_cast<std::uint64_t>(state.iterations()), "a thread did not run");
}

}  // namespace

void add_kernel_limits(Suite& suite) {
  const std::pair<const char*, BenchmarkResult (*)(benchmark::State&)> limits[] = {
      {"system_call", system_call},     {"yield", yield},
      {"futex_wake", futex_wake},       {"membarrier", membarrier_idle},
      {"thread_create", thread_create},
  };
  for (const auto& [name, body] : limits) {
    suite.add(std::string("limit/") + name, limit_cell(name), body);
  }
}

}  // namespace lockbench

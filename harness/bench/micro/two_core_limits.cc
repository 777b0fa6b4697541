// SPDX-License-Identifier: Apache-2.0

// Limits between two threads, each bound to a core of its own.
#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/measure/pinning.h"
#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/limits.h"
#include "harness/kernel/processors.h"
#include "primitives/platform/futex.h"

namespace lockbench {
namespace {

// Binds the calling thread to a processor until this object is destroyed.
class Bound {
 public:
  explicit Bound(int processor) { bind_to_processors(0, {processor}); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() { bind_to_processors(0, before_); }

 private:
  const std::vector<int> before_ = allowed_processor_numbers();
};

struct TwoCores {
  int here = -1;
  int there = -1;  // -1: there is no second core
};

// The hardware threads of one core share their caches, so no cache line moves between them.
TwoCores two_cores() {
  const std::vector<Processor> processors = allowed_processors();
  TwoCores cores;
  if (processors.empty()) return cores;
  cores.here = processors.front().number;
  for (const Processor& processor : processors) {
    if (processor.core == processors.front().core) continue;
    cores.there = processor.number;
    break;
  }
  return cores;
}

// Runs `here` on this thread and `there` on the companion, each on its own core, until both return.
BenchmarkResult on_two_cores(Companion& companion, const std::function<BenchmarkResult()>& here,
                             const std::function<void()>& there) {
  const TwoCores cores = two_cores();
  if (cores.there == -1) return {.failure = "needs two cores, and this process may use one"};
  const Bound bound(cores.here);
  companion.start([&] {
    const Bound other(cores.there);
    there();
  });
  BenchmarkResult finding = here();
  companion.wait();
  return finding;
}

constexpr std::uint64_t kStop = ~std::uint64_t{0};

// This thread stores an odd number, and the companion answers with the even number that follows:
// the cache line moves there and back. Neither loop has a pause, which would be added to the time.
//
// release and acquire: needed to hand over guarded data. On x86-64 they cost nothing extra.
BenchmarkResult cache_line_round_trip(benchmark::State& state, Companion& companion) {
  LimitWord word;
  std::uint64_t said = 0;
  const auto ask = [&]() -> BenchmarkResult {
    for (auto _ : state) {
      word.value.store(++said, std::memory_order_release);
      ++said;
      while (word.value.load(std::memory_order_acquire) != said) {
      }
    }
    word.value.store(kStop, std::memory_order_release);
    return {};
  };
  const auto answer = [&] {
    for (std::uint64_t heard = 0; heard != kStop;) {
      heard = word.value.load(std::memory_order_acquire);
      if (heard % 2 == 1 && heard != kStop) word.value.store(heard + 1, std::memory_order_release);
    }
  };
  return on_two_cores(companion, ask, answer);
}

// A futex word by which two threads take turns.
class Turn {
 public:
  enum : std::uint32_t { kHere, kThere, kOver };

  // release: the other thread sees what was done before.
  void pass(std::uint32_t to) {
    word_.store(to, std::memory_order_release);
    platform::futex_wake(word_, 1);
  }

  // Sleeps until the word differs from `other`.
  std::uint32_t await_end_of(std::uint32_t other) const {
    std::uint32_t seen;
    // acquire: pairs with the release in pass().
    while ((seen = word_.load(std::memory_order_acquire)) == other) {
      platform::futex_wait(word_, other);
    }
    return seen;
  }

 private:
  platform::FutexWord word_{kHere};
};

// The time from the call that wakes a sleeping thread until that thread can make this call. Two
// threads wake each other in turn, and each sleeps for most of the time that the other one needs to
// run. One round has two wake-ups, hence two iterations.
BenchmarkResult futex_wake_to_running(benchmark::State& state, Companion& companion) {
  Turn turn;
  const auto here = [&]() -> BenchmarkResult {
    while (state.KeepRunningBatch(2)) {
      turn.pass(Turn::kThere);
      turn.await_end_of(Turn::kThere);
    }
    turn.pass(Turn::kOver);
    return {};
  };
  const auto there = [&] {
    while (turn.await_end_of(Turn::kHere) == Turn::kThere) turn.pass(Turn::kHere);
  };
  return on_two_cores(companion, here, there);
}

// The companion computes on another core, which is interrupted each time.
BenchmarkResult membarrier_running(benchmark::State& state, Companion& companion) {
  if (std::string failure = register_membarrier(); !failure.empty()) return {.failure = failure};
  // relaxed throughout: the flags guard no other memory.
  std::atomic<bool> running = false;
  std::atomic<bool> over = false;
  const auto here = [&]() -> BenchmarkResult {
    while (!running.load(std::memory_order_relaxed)) {
    }
    bool done = true;
    for (auto _ : state) done &= membarrier();
    over.store(true, std::memory_order_relaxed);
    return finding_if(done, "membarrier failed after it was registered");
  };
  const auto there = [&] {
    running.store(true, std::memory_order_relaxed);
    while (!over.load(std::memory_order_relaxed)) {
    }
  };
  return on_two_cores(companion, here, there);
}

}  // namespace

void add_two_core_limits(Suite& suite, Companion& companion) {
  const std::pair<const char*, BenchmarkResult (*)(benchmark::State&, Companion&)> limits[] = {
      {"cache_line_round_trip", cache_line_round_trip},
      {"futex_wake_to_running", futex_wake_to_running},
      {"membarrier_running", membarrier_running},
  };
  for (const auto& [name, body] : limits) {
    Cell cell = limit_cell(name);
    cell.threads = 2;
    cell.pinning = "scatter";
    suite.add(std::string("limit/") + name, std::move(cell),
              [&companion, measure = body](benchmark::State& state) {
                return measure(state, companion);
              });
  }
}

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/access_loops.h"

#include <array>
#include <memory>
#include <new>
#include <utility>

#include "harness/base/median.h"
#include "primitives/platform/huge_memory.h"

namespace lockbench::calibration {

double loads_beside_sibling(Runner& runner, const std::vector<int>& core, std::uint32_t calls) {
  Number here;
  Number there;
  Number over;
  Start start(2);
  double ns = 0;
  runner.run({{core[0],
               [&] {
                 start.arrive();
                 ns = ns_per_call(calls, [&] { here.load(); });
                 over.store(1);
               }},
              {core[1], [&] {
                 start.arrive();
                 while (over.load() == 0) {
                   for (std::uint32_t i = 0; i < kUnrolled; ++i) there.load();
                 }
               }}});
  return ns;
}

// Each line of a block leads to the next one, in an order that no prefetcher follows.
double memory_load(Runner& runner, int processor, std::size_t lines, std::uint32_t repetitions,
                   std::uint32_t calls) {
  const platform::HugeMemory<Number> block(lines);
  // A generator of period `lines` (T. Hull, A. Dobell, "Random Number Generators", 1962): each line
  // occurs once.
  for (std::size_t line = 0; line < lines; ++line) {
    new (&block[line]) Number{(line * 0x5851F42D4C957F2D + 0x14057B7EF767814F) % lines};
  }
  std::vector<double> values;
  runner.run({{processor, [&] {
                 std::uint64_t line = 0;
                 for (std::uint32_t i = 0; i < repetitions; ++i) {
                   const Time from = platform::now();
                   for (std::uint32_t j = 0; j < calls; ++j) line = block[line].load();
                   values.push_back(ns_between(from, platform::now()) / calls);
                 }
               }}});
  return median(std::move(values));
}

double handover(Runner& runner, int a, int b, std::uint32_t rounds) {
  Number turn;
  Start start(2);
  double ns = 0;
  const auto change = [&turn](std::uint64_t from, std::uint64_t to) {
    std::uint64_t expected = from;
    while (!turn.value.compare_exchange_strong(expected, to, std::memory_order_acq_rel, kRelaxed)) {
      expected = from;
    }
  };
  runner.run({{a,
               [&] {
                 start.arrive();
                 const std::uint32_t warm_up = rounds / 10 + 1;
                 for (std::uint32_t i = 0; i < warm_up; ++i) change(0, 1);
                 const Time from = platform::now();
                 for (std::uint32_t i = 0; i < rounds; ++i) change(0, 1);
                 ns = ns_between(from, platform::now()) / (2.0 * rounds);
               }},
              {b, [&] {
                 start.arrive();
                 for (std::uint32_t i = 0; i < rounds + rounds / 10 + 1; ++i) change(1, 0);
               }}});
  return ns;
}

namespace {

// Lines that are accessed one after the other, at distances of which no two are equal, so that no
// prefetcher follows.
class FarLines {
 public:
  // Each access ends before the next one begins: `own` is on a line of the thread's processor.
  template <class Access>
  double pass_ns(Number& own, Access access) {
    const Time from = platform::now();
    std::size_t line = 1;
    for (std::size_t i = 1; i < kPrime; ++i) {
      access((*lines_)[line * kApart]);
      fence(own);
      line = line * kPrimitiveRoot % kPrime;
    }
    return ns_between(from, platform::now()) / (kPrime - 1);
  }

 private:
  // A compare-exchange that fails: no processor works ahead of it.
  static void fence(Number& own) {
    std::uint64_t never = 1;
    own.value.compare_exchange_strong(never, 0, std::memory_order_seq_cst, kRelaxed);
    platform::execution_fence();
  }

  // The powers of a primitive root are all numbers below the prime, in an irregular order.
  static constexpr std::size_t kPrime = 61;
  static constexpr std::size_t kPrimitiveRoot = 2;
  static constexpr std::size_t kApart = 5;

  const std::unique_ptr<std::array<Number, kPrime* kApart>> lines_ =
      std::make_unique<std::array<Number, kPrime * kApart>>();
};

}  // namespace

ForeignTimes foreign_times(Runner& runner, int a, int b, std::uint32_t rounds) {
  constexpr int kUntilQuiet = 100;  // pauses
  FarLines lines;
  Number own_of_reader;
  Number own_of_writer;
  Number turn;
  std::vector<double> reads;
  std::vector<double> writes;
  const auto read = [](Number& line) { line.load(); };
  const auto write = [](Number& line) { line.store(1); };
  const auto wait_for = [&turn](std::uint64_t value) {
    while (turn.value.load(kAcquire) != value) platform::pause();
    for (int i = 0; i < kUntilQuiet; ++i) platform::pause();
  };
  const auto reader = [&] {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      wait_for(2 * i + 1);
      const double first_read = lines.pass_ns(own_of_reader, read);
      const double first_write = lines.pass_ns(own_of_reader, write);
      reads.push_back(first_read - lines.pass_ns(own_of_reader, read));
      writes.push_back(first_write - lines.pass_ns(own_of_reader, write));
      turn.value.store(2 * i + 2, kRelease);
    }
  };
  const auto writer = [&] {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      wait_for(2 * i);
      lines.pass_ns(own_of_writer, write);
      turn.value.store(2 * i + 1, kRelease);
    }
  };
  runner.run({{a, reader}, {b, writer}});
  return {.read = median(std::move(reads)), .write = median(std::move(writes))};
}

namespace {

struct Pair {
  Number lock;
  Number record;
};

// Two threads meet at one of so many in 1 of some hundred steps, and a level-1 cache holds them.
constexpr std::size_t kPairs = 128;

void step(Pair& pair) {
  while (pair.lock.value.exchange(1, kAcquire) != 0) platform::pause();
  pair.record.store(pair.record.load() + 1);
  pair.lock.value.store(0, kRelease);
}

// Draws pairs. The multiplier of D. Knuth, "The Art of Computer Programming", volume 2, 1997, for
// the generator MMIX; its upper bits are the random ones.
class RandomPair {
 public:
  explicit RandomPair(std::uint64_t seed) : state_(seed) {}

  std::size_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 40) % kPairs;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

double step_on_pairs(Runner& runner, int processor, const std::vector<int>& others,
                     std::uint32_t steps) {
  const auto pairs = std::make_unique<std::array<Pair, kPairs>>();
  Number over;
  Start start(static_cast<std::uint32_t>(1 + others.size()));
  double ns = 0;
  std::vector<Runner::Side> sides;
  sides.push_back({processor, [&] {
                     RandomPair random(1);
                     for (Pair& pair : *pairs) step(pair);
                     start.arrive();
                     const std::uint32_t warm_up = steps / 10;
                     for (std::uint32_t i = 0; i < warm_up; ++i) step((*pairs)[random.next()]);
                     const Time from = platform::now();
                     for (std::uint32_t i = 0; i < steps; ++i) step((*pairs)[random.next()]);
                     ns = ns_between(from, platform::now()) / steps;
                     over.store(1);
                   }});
  for (const int other : others) {
    sides.push_back({other, [&, other] {
                       RandomPair random(static_cast<std::uint64_t>(other) + 2);
                       start.arrive();
                       while (over.load() == 0) step((*pairs)[random.next()]);
                     }});
  }
  runner.run(sides);
  return ns;
}

}  // namespace lockbench::calibration

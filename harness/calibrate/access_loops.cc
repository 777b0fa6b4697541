// SPDX-License-Identifier: Apache-2.0

#include "harness/calibrate/access_loops.h"

#include <array>
#include <memory>
#include <new>
#include <utility>

#include "harness/plan/median.h"
#include "primitives/platform/huge_memory.h"

namespace lockbench::calibration {

double loads_beside_sibling(Place& place, const std::vector<int>& core, std::uint32_t calls) {
  Number here;
  Number there;
  Number over;
  Start start(2);
  double ns = 0;
  place.run({{core[0],
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
double memory_load(Place& place, int processor, std::size_t lines, std::uint32_t repetitions,
                   std::uint32_t calls) {
  const platform::HugeMemory<Number> block(lines);
  // A generator of period `lines` (T. Hull, A. Dobell, "Random Number Generators", 1962): each line
  // occurs once.
  for (std::size_t line = 0; line < lines; ++line) {
    new (&block[line]) Number{(line * 0x5851F42D4C957F2D + 0x14057B7EF767814F) % lines};
  }
  std::vector<double> values;
  place.run({{processor, [&] {
                std::uint64_t line = 0;
                for (std::uint32_t i = 0; i < repetitions; ++i) {
                  const Time from = platform::now();
                  for (std::uint32_t j = 0; j < calls; ++j) line = block[line].load();
                  values.push_back(ns_between(from, platform::now()) / calls);
                }
              }}});
  return median(std::move(values));
}

double handover(Place& place, int a, int b, std::uint32_t rounds) {
  Number turn;
  Start start(2);
  double ns = 0;
  const auto change = [&turn](std::uint64_t from, std::uint64_t to) {
    std::uint64_t expected = from;
    while (!turn.value.compare_exchange_strong(expected, to, std::memory_order_acq_rel, kRelaxed)) {
      expected = from;
    }
  };
  place.run({{a,
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

double step_on_pairs(Place& place, int processor, const std::vector<int>& others,
                     std::uint32_t steps) {
  const auto pairs = std::make_unique<std::array<Pair, kPairs>>();
  Number over;
  Start start(static_cast<std::uint32_t>(1 + others.size()));
  double ns = 0;
  std::vector<Place::Side> sides;
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
  place.run(sides);
  return ns;
}

}  // namespace lockbench::calibration

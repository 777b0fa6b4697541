// SPDX-License-Identifier: Apache-2.0

// One thread locks four keys at once: in one atomic step, and one after the other in an order that
// cannot deadlock, like a hand-written `std::scoped_lock` over sorted mutexes.
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/catalog_lines.h"
#include "harness/bench/micro/exclusion.h"
#include "harness/bench/plan/spelling.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"

namespace lockbench {
namespace {

using FourKeys = std::array<std::uint64_t, 4>;

constexpr std::size_t kStripes = 63;  // as many as fit a word
constexpr std::size_t kSets = 256;

// Consecutive keys: their stripes are spread as for any other keys.
std::vector<FourKeys> sets_of_keys() {
  std::vector<FourKeys> sets(kSets);
  std::uint64_t next = 0;
  for (FourKeys& keys : sets) {
    for (std::uint64_t& key : keys) key = next++;
  }
  return sets;
}

template <class P>
auto handle_of(P& primitive, const FourKeys& keys) {
  return primitive.handle_all(keys[0], keys[1], keys[2], keys[3]);
}

template <class P>
BenchmarkResult measure(benchmark::State& state, Companion& companion) {
  P primitive(kStripes);
  const std::vector<FourKeys> sets = sets_of_keys();
  std::size_t next = 0;
  for (auto _ : state) {
    FourKeys keys = sets[next];
    benchmark::DoNotOptimize(keys);
    auto all = handle_of(primitive, keys);
    all.lock();
    all.unlock();
    next = (next + 1) % kSets;
  }
  // Sets may share stripes, so only one set is checked.
  ExclusionCheck check(
      companion, [&](std::size_t) { return handle_of(primitive, sets.front()); }, 1, 1);
  return {.proof = check.prove(), .lock_bytes = primitive.lock_bytes()};
}

template <class P>
void add(Suite& suite, Companion& companion, const PrimitiveSpec& spec) {
  suite.add("four_keys/" + to_text(spec), micro_cell(spec, {.name = "four_keys", .scenario = {}}),
            [&companion](benchmark::State& state) { return measure<P>(state, companion); });
}

}  // namespace

void add_several_keys(Suite& suite, Companion& companion) {
  const std::string stripes = std::to_string(kStripes);
  add<StripeWord>(suite, companion, {.name = "stripe_word", .parameters = {}});
  add<StripedLock<>>(suite, companion, {.name = "striped", .parameters = {{"stripes", stripes}}});
  add<StripedLock<std::mutex>>(
      suite, companion, {.name = "striped", .parameters = {{"lock", "std"}, {"stripes", stripes}}});
}

}  // namespace lockbench

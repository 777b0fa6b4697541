// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/catalog_lines.h"
#include "harness/bench/micro/exclusion.h"
#include "harness/bench/plan/spelling.h"
#include "workloads/operation.h"

namespace lockbench {
namespace {

// With string keys and an entry for each, this is more than a core's first-level cache holds.
constexpr std::uint64_t kManyKeys = 10'000;

// The keys of a benchmark, which are created before its loop. They are in random order, so that
// neither a prefetcher nor a table that keeps neighbours together gains from a sequential walk,
// which users do not do.
template <class K>
class KeyRing {
 public:
  explicit KeyRing(std::uint64_t count) : space_(count, "user", "@example.com") {
    for (std::uint64_t key = 0; key < count; ++key) keys_.push_back(space_[key]);
    std::shuffle(keys_.begin(), keys_.end(), std::mt19937_64(count));
  }

  const std::vector<K>& keys() const { return keys_; }

 private:
  KeySpace<K> space_;  // holds the text of string keys
  std::vector<K> keys_;
};

template <class P, class K>
[[gnu::always_inline]] inline void take_and_leave(P& primitive, K key) {
  auto handle = primitive.handle(key);
  handle.lock();
  handle.unlock();
}

// The key is hidden from the compiler in each iteration, and the compiler must assume that all
// memory has changed. Otherwise it would hash the key once and keep the primitive's looked-up
// values in registers. A program that does something between two locks cannot do that.
template <class P, class K>
void loop(benchmark::State& state, P& primitive, const std::vector<K>& keys) {
  if (keys.size() == 1) {
    K key = keys.front();
    for (auto _ : state) {
      benchmark::DoNotOptimize(key);
      take_and_leave(primitive, key);
    }
    return;
  }
  std::size_t next = 0;
  for (auto _ : state) {
    K key = keys[next];
    benchmark::DoNotOptimize(key);
    take_and_leave(primitive, key);
    if (++next == keys.size()) next = 0;
  }
}

template <class P, class K>
BenchmarkResult measure(benchmark::State& state, Companion& companion, AnyMaker maker,
                        const Arguments& arguments) {
  const std::unique_ptr<P> primitive = made_by<P>(maker, arguments);
  const KeyRing<K> ring(arguments.keys);
  const std::vector<K>& keys = ring.keys();
  // One round before the timing, after which tables have allocated everything that they keep.
  for (const K key : keys) take_and_leave(*primitive, key);
  loop(state, *primitive, keys);
  const auto handle_at = [&](std::size_t key) { return primitive->handle(keys[key]); };
  ExclusionCheck check(companion, handle_at, keys.size(), primitive->capacity());
  return {.proof = P::kPromises.excludes ? check.prove() : check.prove_alone(),
          .lock_bytes = primitive->lock_bytes()};
}

using Measure = BenchmarkResult (*)(benchmark::State&, Companion&, AnyMaker, const Arguments&);

void add_line(Suite& suite, Companion& companion, const AnyLine& line, KeyType key_type,
              std::uint64_t keys, Measure measure) {
  std::string name = absl::StrCat("uncontended/", to_text(line.spec), "/", to_text(key_type));
  if (keys != 1) absl::StrAppend(&name, "/keys:", keys);
  Cell cell = micro_cell(line.spec, {.name = "uncontended", .scenario = {}});
  cell.keys = keys;
  cell.key_type = key_type;
  suite.add(std::move(name), std::move(cell),
            [&companion, measure, maker = line.maker, arguments = line.usual_arguments(keys)](
                benchmark::State& state) { return measure(state, companion, maker, arguments); });
}

}  // namespace

void add_uncontended(Suite& suite, Companion& companion) {
  for (const std::uint64_t keys : {std::uint64_t{1}, kManyKeys}) {
    for_each_line([&]<class P>(const AnyLine& line) {
      for_each_key_type([&]<class K>() {
        if constexpr (KeyedLock<P, K>) {
          add_line(suite, companion, line, kKeyTypeOf<K>, keys, measure<P, K>);
        }
      });
    });
  }
}

void add_base_locks(Suite& suite, Companion& companion) {
  for_each_base_lock([&]<class Base>(const char* lock, const char*) {
    const auto body = [&companion](benchmark::State& state) -> BenchmarkResult {
      using Claim = typename GlobalLock<Base>::Handle;
      alignas(platform::kCacheLine) Base base;
      Claim claim(base);
      for (auto _ : state) {
        claim.lock();
        claim.unlock();
      }
      ExclusionCheck check(
          companion, [&base](std::size_t) { return Claim(base); }, 1, 1);
      return {.proof = check.prove(), .lock_bytes = sizeof base};
    };
    suite.add(std::string("base/") + lock,
              micro_cell({.name = lock, .parameters = {}}, {.name = "base", .scenario = {}}), body);
  });
}

}  // namespace lockbench

// SPDX-License-Identifier: Apache-2.0

// One thread holds many keys at once. This compares the cost of a table whose size follows the
// number of keys in use, one that was created for that number, and one that does neither. An
// iteration locks all keys and then unlocks all.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/catalog_lines.h"
#include "harness/bench/micro/exclusion.h"
#include "harness/bench/plan/spelling.h"
#include "primitives/keyed_mutex.h"
#include "primitives/peers/keyed_table.h"
#include "workloads/operation.h"

namespace lockbench {
namespace {

// Each handle acquires a key's lock in its constructor and releases it in its destructor.
template <class P>
class Held {
 public:
  Held(P& primitive, std::string_view key) : handle_(primitive.handle(key)) { handle_.lock(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { handle_.unlock(); }

 private:
  HandleOf<P, std::string_view> handle_;
};

template <class P>
BenchmarkResult measure(benchmark::State& state, Companion& companion, P& primitive,
                        std::uint64_t count) {
  const KeySpace<std::string_view> keys(count, "user", "@example.com");
  std::vector<std::optional<Held<P>>> held(count);
  for (auto _ : state) {
    for (std::uint64_t key = 0; key < count; ++key) held[key].emplace(primitive, keys[key]);
    for (std::optional<Held<P>>& one : held) one.reset();
  }
  // The rate of keys, so that tables of different sizes can be compared. There is no counter of our
  // own: Google Benchmark's CSV aborts at a counter that not all benchmarks have.
  state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
  ExclusionCheck check(
      companion, [&](std::size_t key) { return primitive.handle(keys[key]); }, 1, 1);
  return {.proof = check.prove(), .lock_bytes = primitive.lock_bytes()};
}

// `arguments` are the arguments of the primitive's constructor.
template <class P, class... Arguments>
void add(Suite& suite, Companion& companion, const PrimitiveSpec& spec, Arguments... arguments) {
  for (const std::uint64_t count : {std::uint64_t{1'000}, std::uint64_t{100'000}}) {
    Cell cell = micro_cell(spec, {.name = "held_at_once", .scenario = {}});
    cell.keys = count;
    cell.key_type = KeyType::kString;
    suite.add("held_at_once/" + to_text(spec) + "/keys:" + std::to_string(count), std::move(cell),
              [&companion, count, arguments...](benchmark::State& state) {
                P primitive(arguments...);
                return measure(state, companion, primitive, count);
              });
  }
}

}  // namespace

void add_held_at_once(Suite& suite, Companion& companion) {
  constexpr std::size_t kRoom = 131'072;
  add<KeyedMutex<std::string_view>>(suite, companion, {.name = "keyed", .parameters = {}});
  add<KeyedMutex<std::string_view>>(
      suite, companion, {.name = "keyed", .parameters = {{"buckets", std::to_string(kRoom)}}},
      kRoom);
  add<KeyedTableSharded<std::string_view>>(suite, companion,
                                           {.name = "keyed_table64", .parameters = {}});
}

}  // namespace lockbench
